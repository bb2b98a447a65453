"""Uploads a file with tuspy, or goes on where an upload of the same file was."""
import sys

from tusclient import client
from tusclient.storage import filestorage

endpoint, token, repository, path, sha256, checksum, stop_at = sys.argv[1:]
metadata = {"repository": repository, "path": path}
if sha256:
    metadata.update({"sha256": sha256, "mediaType": "application/x-firmware"})
uploader = client.TusClient(endpoint, headers={"Authorization": "Bearer " + token}).uploader(
    "firmware.img",
    chunk_size=3_000_000 if checksum == "checksum" else sys.maxsize,
    upload_checksum=checksum == "checksum",
    metadata=metadata,
    retries=100,
    retry_delay=0.02,
    store_url=True,
    url_storage=filestorage.FileStorage("urls.json"),
)
uploader.upload(stop_at=int(stop_at) or None)
