package io.artifactserver.storage.catalog;

import java.util.List;
import java.util.UUID;
import org.springframework.data.repository.Repository;

interface InstallationRows extends Repository<InstallationRow, UUID> {
  List<InstallationRow> findAll();
}
