"use strict";
// Computes the SHA-256 of a file, piece by piece, away from the page. Its answer policy alone allows WebAssembly.
importScripts("vendor/sha256.umd.min.js");

const PIECE = 4 * 1024 * 1024;

addEventListener("message", async event => {
  const file = event.data;
  try {
    const digest = await hashwasm.createSHA256();
    for (let position = 0; position < file.size; position += PIECE) {
      digest.update(new Uint8Array(await file.slice(position, position + PIECE).arrayBuffer()));
      postMessage({done: Math.min(position + PIECE, file.size)});
    }
    postMessage({digest: digest.digest("hex")});
  } catch (failure) {
    postMessage({failure: failure.message});
  }
});
