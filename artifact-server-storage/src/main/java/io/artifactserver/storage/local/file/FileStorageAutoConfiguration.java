package io.artifactserver.storage.local.file;

import io.artifactserver.core.blob.StorageException;
import io.artifactserver.storage.local.folder.DataFolder;
import io.artifactserver.storage.local.folder.DataFolderAutoConfiguration;
import io.artifactserver.storage.local.mapped.MappedFiles;
import io.artifactserver.storage.local.mapped.MappedFilesAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** Keeps blobs in the data folder: {@code artifact-server.storage.backend=file}, the default. */
@AutoConfiguration(after = {DataFolderAutoConfiguration.class, MappedFilesAutoConfiguration.class})
@ConditionalOnProperty(
    name = "artifact-server.storage.backend",
    havingValue = FileBlobStore.NAME,
    matchIfMissing = true)
public class FileStorageAutoConfiguration {
  @Bean
  FileBlobStore fileBlobStore(DataFolder folder, MappedFiles mappedFiles) throws StorageException {
    return FileBlobStore.open(folder.path(), mappedFiles, folder.reserve()::hasRoomFor);
  }
}
