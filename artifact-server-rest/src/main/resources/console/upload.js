"use strict";
// Uploads by tus: several files at once, each goes on after a pause, a broken network or a reload, and is compared at its end.
(() => {
  const {call, say, changeToken, CHANGE_FIELD} = window.artifactConsole;
  const ENDPOINT = "/api/v1/uploads";
  const DELAYS = [0, 1000, 3000, 5000, 10000, 20000];
  const RATE_WINDOW = 5000;
  const zone = document.querySelector('[data-testid="upload"]');
  const list = document.getElementById("uploads");
  const uploads = new Set();

  const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];
  function bytes(amount) {
    let unit = 0;
    for (; amount >= 1023.95 && unit < UNITS.length - 1; unit++) {
      amount /= 1024;
    }
    return amount.toFixed(unit === 0 ? 0 : 1) + " " + UNITS[unit];
  }

  function time(seconds) {
    const left = Math.ceil(seconds);
    return left >= 3600
      ? `${Math.floor(left / 3600)} h ${Math.floor(left % 3600 / 60)} min`
      : left >= 60 ? `${Math.floor(left / 60)} min ${left % 60} s` : `${left} s`;
  }

  function element(name, text, className) {
    const made = document.createElement(name);
    made.textContent = text ?? "";
    if (className) {
      made.className = className;
    }
    return made;
  }

  function digestOf(file, tell) {
    return new Promise((resolve, reject) => {
      const worker = new Worker(zone.dataset.worker);
      worker.addEventListener("message", event => {
        if (event.data.done !== undefined) {
          tell(event.data.done);
          return;
        }
        worker.terminate();
        event.data.digest ? resolve(event.data.digest) : reject(new Error(event.data.failure));
      });
      worker.addEventListener("error", event => reject(new Error(event.message || "The digest's worker did not start")));
      worker.postMessage(file);
    });
  }

  class Upload {
    constructor(file, repository, path) {
      this.file = file;
      this.repository = repository;
      this.path = path;
      this.sent = 0;
      this.seen = [];
      this.show();
      this.digest = digestOf(file, done => this.digested = done);
      this.digest.catch(() => {});
      this.tus = new tus.Upload(file, {
        endpoint: ENDPOINT,
        retryDelays: DELAYS,
        headers: {[CHANGE_FIELD]: changeToken},
        metadata: {repository, path, ...(file.type ? {mediaType: file.type} : {})},
        fingerprint: () => Promise.resolve(["artifact-server", repository, path, file.size, file.lastModified].map(encodeURIComponent).join("|")),
        removeFingerprintOnSuccess: true,
        onProgress: sent => this.progress(sent),
        onError: failure => this.broke(failure),
        onSuccess: () => this.verify(),
      });
      this.resume();
    }

    show() {
      this.row = element("li", "", "upload");
      const name = element("bdi", this.path, "name");
      this.bar = document.createElement("progress");
      this.bar.max = Math.max(1, this.file.size);
      this.bar.value = 0;
      this.bar.setAttribute("aria-label", this.path);
      this.state = element("span", "Waiting", "state");
      this.button = element("button", "Pause");
      this.button.type = "button";
      this.button.addEventListener("click", () => this.isRunning ? this.pause() : this.resume());
      this.cancel = element("button", "Cancel");
      this.cancel.type = "button";
      this.cancel.addEventListener("click", () => this.end());
      const buttons = element("span", "", "buttons");
      buttons.append(this.button, " ", this.cancel);
      this.row.append(name, this.bar, this.state, buttons);
      list.append(this.row);
    }

    async resume() {
      this.isRunning = true;
      this.button.textContent = "Pause";
      this.say("Starting");
      if (!this.tus.url) {
        const before = await this.tus.findPreviousUploads();
        if (before.length > 0) {
          this.tus.resumeFromPreviousUpload(before[before.length - 1]);
        }
      }
      if (this.isRunning) {
        this.seen = [];
        this.tus.start();
      }
    }

    async pause() {
      this.isRunning = false;
      this.button.textContent = "Resume";
      await this.tus.abort();
      this.say(`Paused at ${this.share()}`);
    }

    async end() {
      this.isRunning = false;
      uploads.delete(this);
      this.row.remove();
      try {
        await this.tus.abort(true);
      } catch {
        // The server forgets it in time.
      }
    }

    progress(sent) {
      this.sent = sent;
      this.bar.value = sent;
      const now = performance.now();
      this.seen.push({now, sent});
      while (this.seen.length > 2 && now - this.seen[0].now > RATE_WINDOW) {
        this.seen.shift();
      }
      const first = this.seen[0];
      const rate = now - first.now > 200 ? (sent - first.sent) / (now - first.now) * 1000 : 0;
      this.say(rate > 0
        ? `${this.share()}, ${bytes(rate)}/s, ${time((this.file.size - sent) / rate)} left`
        : this.share());
    }

    share() {
      const percent = this.file.size === 0 ? 100 : this.sent / this.file.size * 100;
      return `${percent.toFixed(1)} % of ${bytes(this.file.size)}`;
    }

    broke(failure) {
      this.isRunning = false;
      this.button.textContent = "Resume";
      const answer = failure.originalResponse;
      if (!answer) {
        this.isBroken = true;
        this.say(`Interrupted at ${this.share()}; it goes on when the network is back`, true);
        return;
      }
      let problem = {};
      try {
        problem = JSON.parse(answer.getBody());
      } catch {
        // No problem detail: the status has to do.
      }
      this.say(problem.detail ?? `The server answered ${answer.getStatus()}`, true);
    }

    async verify() {
      this.isRunning = false;
      this.button.remove();
      this.bar.value = this.bar.max;
      this.say("Comparing the SHA-256");
      try {
        const address = `/api/v1/repositories/${encodeURIComponent(this.repository)}/artifacts/`
          + this.path.split("/").map(encodeURIComponent).join("/");
        const [own, artifact] = await Promise.all([this.digest, call("GET", address)]);
        if (own !== artifact.sha256) {
          throw new Error(`The server has other bytes: SHA-256 ${artifact.sha256}, and the file has ${own}`);
        }
        this.say(`Complete, ${bytes(this.file.size)}; the SHA-256 is the file's`);
        this.row.classList.add("complete");
        this.cancel.remove();
        const link = element("a", "Open");
        link.href = "/console/artifact?" + new URLSearchParams({repository: this.repository, path: this.path});
        this.row.append(link);
        uploads.delete(this);
        document.dispatchEvent(new Event("artifact:uploaded"));
      } catch (failure) {
        this.say(failure.message, true);
      }
    }

    say(text, isBad) {
      this.state.textContent = text;
      this.state.classList.toggle("error", isBad === true);
    }
  }

  function take(files) {
    const repository = document.getElementById("upload-repository").value;
    const folder = document.getElementById("upload-folder").value.replace(/^\/+|\/+$/g, "");
    for (const file of files) {
      const path = folder ? folder + "/" + file.name : file.name;
      if ([...uploads].some(each => each.repository === repository && each.path === path)) {
        say(`${path} is on its way already.`, true);
        continue;
      }
      uploads.add(new Upload(file, repository, path));
    }
  }

  const input = zone.querySelector("input");
  input.addEventListener("change", () => {
    take([...input.files]);
    input.value = "";
  });
  for (const name of ["dragenter", "dragover"]) {
    zone.addEventListener(name, event => {
      event.preventDefault();
      zone.classList.add("over");
    });
  }
  for (const name of ["dragleave", "drop"]) {
    zone.addEventListener(name, event => {
      event.preventDefault();
      zone.classList.remove("over");
    });
  }
  zone.addEventListener("drop", event => take([...event.dataTransfer.files]));

  window.addEventListener("online", () => {
    for (const upload of uploads) {
      if (upload.isBroken && !upload.isRunning) {
        upload.isBroken = false;
        upload.resume();
      }
    }
  });
  window.addEventListener("beforeunload", event => {
    if ([...uploads].some(each => each.isRunning)) {
      event.preventDefault();
    }
  });

  // Uploads that a reload interrupted: the browser gives a page no file again by itself.
  const known = Object.keys(localStorage).filter(key => key.startsWith("tus::artifact-server|"))
    .map(key => key.split("::")[1].split("|"));
  if (known.length > 0) {
    const note = document.getElementById("unfinished");
    note.hidden = false;
    for (const [, repository, path, size] of known) {
      const line = element("li");
      line.append(element("bdi", decodeURIComponent(`${repository}/${path}`)), ` (${bytes(Number(size))})`);
      note.querySelector("ul").append(line);
    }
  }
})();
