// Uploads a file with tus-js-client, or goes on where an upload of the same file was. Prints how
// many uploads it goes on with.
const fs = require('fs');

const [library, endpoint, token, repository, path, sha256, parts, stopAt] = process.argv.slice(2);
const tus = require(library);

const upload = new tus.Upload(fs.createReadStream('firmware.img'), {
  endpoint,
  headers: { Authorization: `Bearer ${token}` },
  metadata: { repository, path, sha256, mediaType: 'application/x-firmware' },
  metadataForPartialUploads: { repository, path },
  parallelUploads: Number(parts),
  retryDelays: Array(50).fill(20),
  urlStorage: new tus.FileUrlStorage('urls.json'),
  removeFingerprintOnSuccess: true,
  onProgress(sent) {
    if (sent >= Number(stopAt)) {
      process.exit(3);
    }
  },
  onError(error) {
    console.error(String(error));
    process.exit(1);
  },
});

upload.findPreviousUploads().then((previous) => {
  console.log(previous.length);
  if (previous.length > 0) {
    upload.resumeFromPreviousUpload(previous[0]);
  }
  upload.start();
});
