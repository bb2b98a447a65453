// Uploads a file with tus-js-client, or goes on where an upload of the same file was. Prints how
// many uploads it goes on with.
const fs = require('fs');

const [library, endpoint, token, repository, path, sha256, parts, retries] = process.argv.slice(2);
const tus = require(library);

const upload = new tus.Upload(fs.createReadStream('firmware.img'), {
  endpoint,
  headers: { Authorization: `Bearer ${token}` },
  metadata: { repository, path, sha256, mediaType: 'application/x-firmware' },
  metadataForPartialUploads: { repository, path },
  parallelUploads: Number(parts),
  retryDelays: Array(Number(retries)).fill(20),
  urlStorage: new tus.FileUrlStorage('urls.json'),
  removeFingerprintOnSuccess: true,
  onError(error) {
    console.error(String(error));
    setTimeout(() => process.exit(1), 10_000);
    // It writes the addresses of the parts when all of them have one.
    setInterval(() => {
      if (fs.existsSync('urls.json') && fs.statSync('urls.json').size > 2) {
        process.exit(1);
      }
    }, 20);
  },
});

upload.findPreviousUploads().then((previous) => {
  console.log(previous.length);
  if (previous.length > 0) {
    upload.resumeFromPreviousUpload(previous[0]);
  }
  upload.start();
});
