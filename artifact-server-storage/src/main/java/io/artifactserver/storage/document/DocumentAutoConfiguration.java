package io.artifactserver.storage.document;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Import;

/** Wires the reader of documents. */
@AutoConfiguration
@Import(LibraryDocumentReader.class)
public class DocumentAutoConfiguration {}
