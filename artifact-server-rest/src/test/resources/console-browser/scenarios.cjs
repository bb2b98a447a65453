// What people do in the console, each scenario by itself; the server is asked by its API only where no page does it.
"use strict";
const fs = require("fs");
const http = require("http");
const {check, open, signIn, accessible, examine, relay, launch} = require("./browser.cjs");

const base = process.env.SERVER;
const admin = process.env.TOKEN;
const folder = process.env.FOLDER;
const pictures = process.env.PICTURES;

async function api(method, path, body, type = "application/json", fields = {}) {
  const answer = await fetch(base + path, {
    method,
    headers: {"Authorization": `Bearer ${admin}`, "Content-Type": type, ...fields},
    body: body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body),
  });
  const text = await answer.text();
  check(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
  return text && text.startsWith("{") ? JSON.parse(text) : text;
}

async function tokenOf(name, role, repositories) {
  return (await api("POST", "/api/v1/tokens", {name, role, repositories})).token;
}

// A device that takes so many bytes a second.
function slowDownload(path, token, device, rate) {
  return new Promise((resolve, reject) => {
    const request = http.get(base + path, {headers: {"Authorization": `Bearer ${token}`, "RAUC-Serial": device}}, answer => {
      check(answer.statusCode === 200, `${path}: ${answer.statusCode}`);
      let count = 0;
      let told = () => {};
      answer.on("error", () => {});
      answer.on("data", bytes => {
        count += bytes.length;
        told();
        answer.pause();
        setTimeout(() => answer.resume(), bytes.length / rate * 1000);
      });
      resolve({
        end: () => request.destroy(),
        received: least => new Promise(enough => {
          told = () => count >= least && enough();
          told();
        }),
      });
    });
    request.on("error", reject);
  });
}

// What is dangerous is done once its name is typed.
async function confirm(page, name) {
  const yes = page.getByRole("button", {name: "Do it"});
  check(await yes.isDisabled(), `${name}: it is done without the name`);
  await page.getByLabel("The name").fill(name);
  await yes.click();
}

const scenarios = {
  async upload(browser) {
    const line = await relay(Number(new URL(base).port));
    const page = await open(browser, line.address);
    await signIn(page, admin);
    await page.getByRole("navigation").getByRole("link", {name: "Repositories"}).click();
    await page.getByText("Create a repository").click();
    await page.fill("#name", "by-hand");
    await page.getByRole("button", {name: "Create", exact: true}).click();
    await page.getByRole("link", {name: "by-hand"}).click();
    const length = 200 * 1000 * 1000;
    const file = `${folder}/big.img`;
    const bytes = Buffer.alloc(1000 * 1000);
    const handle = fs.openSync(file, "w");
    for (let i = 0; i < length / bytes.length; i++) {
      bytes.writeUInt32LE(i, 0);
      fs.writeSync(handle, bytes);
    }
    fs.closeSync(handle);
    const begun = [];
    page.on("request", request => {
      if (request.method() === "POST" && request.url().endsWith("/api/v1/uploads")) {
        begun.push(request);
      }
    });
    page.expected.push(/Failed to load resource: net::ERR_/);
    // A request of before the cut may reach the server behind the next one, which it ends: that one is told, and comes again.
    page.expected.push(/status of 409/);
    await page.fill("#upload-folder", "board-a/1.0");
    await page.setInputFiles('[data-testid="upload"]', file);
    const bar = page.locator(".upload progress");
    await page.waitForFunction(all => document.querySelector(".upload progress").value > all / 10, length);
    line.cut();
    const before = await bar.evaluate(each => each.value);
    check(before < length, "The upload was over before it was cut");
    line.restore();
    await page.locator(".upload.complete").waitFor({timeout: 240000});
    check(/SHA-256 is the file's/.test(await page.locator(".upload .state").textContent()), "The digest was not compared");
    check(begun.length === 1, `The upload began ${begun.length} times: it did not go on`);
    await page.locator(".upload").getByRole("link", {name: "Open"}).click();
    await page.getByText("190.7 MiB", {exact: true}).waitFor();
    await page.goto("/console/repository?name=by-hand");
    await page.getByRole("link", {name: "board-a/1.0/big.img", exact: true}).click();
    await page.getByText("SHA-256", {exact: true}).waitFor();
    await page.getByText("Signed link").click();
    await page.getByRole("button", {name: "Sign a link"}).click();
    await page.locator("#link output").getByText("/artifacts/").waitFor();
    const link = await page.locator("#link output").textContent();
    check((await fetch(link, {method: "HEAD"})).status === 200, `${link} downloads`);
    await page.waitForFunction(() => document.querySelector("#link img").naturalWidth > 0);
    line.close();
    await page.context().close();
  },

  // Two files fall on the page at once, and the network is away before they are through.
  async several(browser) {
    await api("POST", "/api/v1/repositories", {name: "dropped"});
    const page = await open(browser, base);
    page.expected.push(/net::ERR_INTERNET_DISCONNECTED/);
    await signIn(page, await tokenOf("dropper", "publisher", ["dropped"]));
    await page.goto("/console/repository?name=dropped");
    await page.fill("#upload-folder", "board/1.0");
    const drop = async names => page.dispatchEvent('[data-testid="upload"]', "drop", {
      dataTransfer: await page.evaluateHandle(all => {
        const files = new DataTransfer();
        all.forEach(name => files.items.add(new File([name.repeat(1000)], name)));
        return files;
      }, names),
    });
    await drop(["one.img", "two.img"]);
    await page.waitForFunction(() => document.querySelectorAll(".upload.complete").length === 2);
    await page.context().setOffline(true);
    await page.getByText("The network is away").waitFor();
    await drop(["three.img", "four.img"]);
    await page.waitForFunction(() => document.querySelectorAll(".upload").length === 4);
    check(await page.locator(".upload.complete").count() === 2, "It is complete without a network");
    await page.context().setOffline(false);
    await page.getByText("The network is back").waitFor();
    await page.waitForFunction(() => document.querySelectorAll(".upload.complete").length === 4);
    for (const name of ["one.img", "two.img", "three.img", "four.img"]) {
      const answer = await fetch(`${base}/artifacts/dropped/board/1.0/${name}`, {headers: {"Authorization": `Bearer ${admin}`}});
      check(await answer.text() === name.repeat(1000), `${name} has other bytes`);
    }
    await page.context().close();
  },

  // After a reload the browser has to be given the file again, and no byte is sent twice.
  async reload(browser) {
    await api("POST", "/api/v1/repositories", {name: "reloaded"});
    const file = `${folder}/reloaded.img`;
    fs.writeFileSync(file, Buffer.alloc(60 * 1000 * 1000, 7));
    const page = await open(browser, base);
    const network = await page.context().newCDPSession(page);
    await network.send("Network.emulateNetworkConditions",
      {offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 4 * 1000 * 1000});
    await signIn(page, await tokenOf("uploader", "publisher", ["reloaded"]));
    await page.goto("/console/repository?name=reloaded");
    await page.setInputFiles('[data-testid="upload"]', file);
    await page.waitForFunction(() => document.querySelector(".upload progress").value > 5e6);
    await page.getByRole("button", {name: "Pause"}).click();
    await page.getByText(/^Paused at/).waitFor();
    await page.reload();
    await page.locator("#unfinished").getByText("reloaded/reloaded.img").waitFor();
    await network.send("Network.emulateNetworkConditions",
      {offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1});
    const heads = [];
    page.on("response", answer => {
      if (answer.request().method() === "HEAD") {
        heads.push(Number(answer.headers()["upload-offset"]));
      }
    });
    await page.setInputFiles('[data-testid="upload"]', file);
    await page.locator(".upload.complete").waitFor({timeout: 120000});
    check(heads.length === 1 && heads[0] > 0, `It went on at ${heads}`);
    await page.context().close();
  },

  async rollout(browser) {
    await api("POST", "/api/v1/repositories", {name: "fleet"});
    await api("PUT", "/api/v1/repositories/fleet/artifacts/board/1.0/fw.img", Buffer.alloc(80 * 1000 * 1000, 1), "application/octet-stream");
    const page = await open(browser, base);
    await signIn(page, admin);
    await page.goto("/console/repository?name=fleet");
    await page.getByRole("link", {name: "board/1.0/fw.img"}).click();
    await page.getByRole("link", {name: "Rollout", exact: true}).last().click();
    const map = page.getByTestId("range-map");
    const empty = await map.innerHTML();
    const token = await tokenOf("fleet", "device", ["fleet"]);
    const downloads = [];
    for (let i = 1; i <= 3; i++) {
      downloads.push(await slowDownload("/artifacts/fleet/board/1.0/fw.img", token, `device-${i}`, i * 2 * 1000 * 1000));
    }
    await page.getByText("3 devices").first().waitFor();
    await page.waitForFunction(before => document.querySelector('[data-testid="range-map"]').innerHTML !== before, empty);
    const early = await map.innerHTML();
    await page.waitForFunction(before => document.querySelector('[data-testid="range-map"]').innerHTML !== before, early);
    await page.getByRole("link", {name: "device-1"}).click();
    await page.getByText("board/1.0/fw.img").waitFor();
    downloads.forEach(each => each.end());
    await page.context().close();
  },

  async revoke(browser) {
    await api("POST", "/api/v1/repositories", {name: "revoked"});
    await api("PUT", "/api/v1/repositories/revoked/artifacts/fw.img", Buffer.alloc(1000, 1), "application/octet-stream");
    const page = await open(browser, base);
    await signIn(page, admin);
    await page.getByRole("link", {name: "Tokens"}).click();
    await page.getByText("Make a token").click();
    await page.fill("#name", "short-lived");
    await page.selectOption("#role", "reader");
    await page.fill("#labels", "ring=field\nsite=lab");
    await page.fill("#repositories", "revoked");
    await page.getByRole("button", {name: "Make it"}).click();
    await page.locator("#made").waitFor();
    const token = await page.locator("#made output").textContent();
    const other = await open(browser, base);
    await signIn(other, token);
    const download = () => fetch(base + "/artifacts/revoked/fw.img", {headers: {"Authorization": `Bearer ${token}`}});
    check((await download()).status === 200, "The token is good");
    check(await other.getByRole("link", {name: "Tokens"}).count() === 0, "A reader sees the page of tokens");
    check(await other.getByText("Create a repository").count() === 0, "A reader may create a repository");
    await page.goto("/console/tokens");
    const row = page.locator("tr", {hasText: "short-lived"});
    await row.getByText("ring=field, site=lab").waitFor();
    await row.getByText("Label", {exact: true}).click();
    await row.getByLabel("Labels, one in a line").fill("ring = canary");
    await row.getByRole("button", {name: "Save"}).click();
    await row.getByText("ring=canary", {exact: true}).first().waitFor();
    await page.locator("tr", {hasText: "short-lived"}).getByRole("button", {name: "Revoke"}).click();
    await confirm(page, "short-lived");
    await page.locator("tr", {hasText: "short-lived"}).waitFor({state: "detached"});
    check((await download()).status === 401, "The device is refused");
    await other.goto("/console/repositories");
    check(new URL(other.url()).pathname === "/login", "The session goes on without its token");
    await page.getByRole("button", {name: "Sign out"}).click();
    await page.waitForURL("**/login");
    await page.context().close();
    await other.context().close();
  },

  // Two people have the page open: the slower one does not undo what the other one did.
  async channel(browser) {
    await api("POST", "/api/v1/repositories", {name: "released", public: true});
    for (const [release, byte] of [["1.0", 10], ["1.1", 11]]) {
      await api("PUT", `/api/v1/repositories/released/artifacts/${release}/fw.img`, Buffer.alloc(100, byte), "application/octet-stream");
    }
    const device = async byte => {
      const bytes = Buffer.from(await (await fetch(`${base}/artifacts/released/@stable/fw.img`)).arrayBuffer());
      check(bytes.equals(Buffer.alloc(100, byte)), `A device gets the bytes of ${byte}`);
    };
    const page = await open(browser, base);
    await signIn(page, await tokenOf("releaser", "publisher", ["released"]));
    await page.goto("/console/repository?name=released");
    await page.getByRole("link", {name: "Channels"}).click();
    await page.getByText("Make a channel").click();
    await page.fill("#channel", "stable");
    await page.fill("#release", "1.0");
    await page.getByRole("button", {name: "Make it"}).click();
    await page.getByRole("link", {name: "stable", exact: true}).click();
    await page.locator("h1", {hasText: "stable"}).waitFor();
    await device(10);
    const other = await open(browser, base);
    other.expected.push(/status of 412/);
    await signIn(other, admin);
    await other.goto("/console/channel?repository=released&name=stable");
    await page.fill("#release", "1.1");
    await page.getByRole("button", {name: "Switch the channel"}).click();
    await confirm(page, "stable");
    await page.locator("dd", {hasText: "1.1"}).waitFor();
    await device(11);
    await other.getByRole("button", {name: "Roll back"}).click();
    await confirm(other, "stable");
    await other.getByText("Channel changed").waitFor();
    await device(11);
    await page.getByRole("button", {name: "Roll back"}).click();
    await confirm(page, "stable");
    await page.getByText("back to change 1").waitFor();
    await device(10);
    // A stage: no device is in its group, so all have what they had.
    await page.fill("#release", "1.1");
    await page.fill("#percentage", "10");
    await page.getByText("Groups, windows, and when it stops itself").click();
    await page.fill("#callers", "lab-*\nbench-?");
    await page.fill("#labels", "ring=canary");
    await page.fill("#stop", "5");
    await page.getByRole("button", {name: "Switch the channel"}).click();
    await confirm(page, "stable");
    await page.locator("dd", {hasText: "10 % of its groups"}).waitFor();
    await page.getByText("When more than 5 % of the devices that began within 1 hour").waitFor();
    await device(10);
    await page.getByLabel("Percentage of the devices, now 10").fill("50");
    await page.getByRole("button", {name: "Set the percentage"}).click();
    await confirm(page, "stable");
    await page.locator("dd", {hasText: "50 % of its groups"}).waitFor();
    await page.locator("dd", {hasText: "lab-*, bench-?"}).waitFor();
    await page.locator("dd", {hasText: "ring=canary"}).waitFor();
    await page.fill("#pause-comment", "two boards hang");
    await page.getByRole("button", {name: "Pause"}).click();
    await page.locator("dd", {hasText: "Paused"}).waitFor();
    await page.locator("tr", {hasText: "50 % of its groups, paused"}).getByText("two boards hang").waitFor();
    await page.getByRole("button", {name: "Resume"}).click();
    await confirm(page, "stable");
    await page.locator("dd", {hasText: "Goes on"}).waitFor();
    await page.getByText("Points the channel to 1.0 for every device").waitFor();
    await page.getByRole("button", {name: "Roll back"}).click();
    await confirm(page, "stable");
    await page.locator("dt", {hasText: "State"}).waitFor({state: "detached"});
    await page.locator("dd", {hasText: /^1\.0$/}).waitFor();
    await device(10);
    // A device hangs, and the server takes the release back while somebody looks on.
    await api("PUT", "/api/v1/repositories/released/artifacts/1.2/fw.img", Buffer.alloc(40 * 1000 * 1000, 12), "application/octet-stream");
    await api("PUT", "/api/v1/repositories/released/channels/stable",
      {release: "1.2", stop: {percentage: 5, atLeast: 1, stall: "1s"}}, "application/json", {"If-Match": "*"});
    await page.reload();
    await page.getByText("Goes on").waitFor();
    const hanging = await slowDownload("/artifacts/released/@stable/fw.img", admin, "hangs", 40 * 1000 * 1000);
    await hanging.received(4 * 1000 * 1000);
    hanging.end();
    await page.locator("dd", {hasText: "Stopped by the server: 1 of the 1 devices"}).waitFor();
    await page.locator("dd", {hasText: /^1\.0$/}).waitFor();
    await page.reload();
    await page.locator("tr").getByText("Stopped by the server").waitFor();
    await device(10);
    await page.context().close();
    await other.context().close();
  },

  async keep(browser) {
    await api("POST", "/api/v1/repositories", {name: "cared-for"});
    for (const path of ["board/1.0/fw.img", "board/1.1/fw.img", "other.img"]) {
      await api("PUT", `/api/v1/repositories/cared-for/artifacts/${path}`, Buffer.from(path), "application/octet-stream");
    }
    const page = await open(browser, base);
    await signIn(page, admin);
    await page.goto("/console/artifact?repository=cared-for&path=board/1.1/fw.img");
    // A page that a publisher calls notes is saved, and none of it runs here.
    await api("POST", "/api/v1/repositories/cared-for/artifacts/board/1.1/fw.img/attachments?kind=notes",
      Buffer.from("<script>alert(document.cookie)</script>"), "text/html");
    await page.reload();
    const saved = page.waitForEvent("download");
    await page.getByRole("link", {name: "Download notes"}).click();
    check(/^notes-[0-9a-f]{12}/.test((await saved).suggestedFilename()), "The attachment is saved by its kind");
    check(page.url().includes("/console/artifact?"), "The attachment is not opened");
    await page.getByText("Hold and support").click();
    await page.fill("#until", `${new Date().getFullYear() + 1}-06-30T12:00`);
    await page.fill("#reason", "recall 7");
    await page.getByRole("button", {name: "Hold it"}).click();
    await confirm(page, "board/1.1/fw.img");
    await page.locator("dl").getByText("recall 7", {exact: true}).waitFor();
    await page.getByText("Hold and support").click();
    await page.selectOption("#kind", "security");
    await page.fill("#end", "2040-03");
    await page.getByRole("button", {name: "Say so"}).click();
    await confirm(page, "board/1.1/fw.img");
    await page.getByText("security release, supported until 2040-03").waitFor();
    await page.goto("/console/artifact?repository=cared-for&path=other.img");
    await page.getByText("Delete", {exact: true}).click();
    await page.getByRole("button", {name: "Delete this artifact"}).click();
    await confirm(page, "other.img");
    await page.getByRole("link", {name: "Deleted"}).click();
    await page.getByRole("button", {name: "Take the deletion back"}).click();
    await page.getByRole("link", {name: "is there again"}).click();
    await page.locator("h1", {hasText: "other.img"}).waitFor();
    await page.goto("/console/retention?repository=cared-for");
    await page.getByLabel("Folder").fill("board");
    await page.getByLabel("Newest releases to keep").fill("5");
    await page.getByRole("button", {name: "Set the rules"}).click();
    await page.getByText("These rules are not active").waitFor();
    await page.getByRole("link", {name: "Show what they would delete"}).click();
    await page.getByText("0 artifacts").first().waitFor();
    await page.getByRole("button", {name: "Activate these rules"}).click();
    await confirm(page, "cared-for");
    await page.getByText("These rules are active").waitFor();
    await page.getByLabel("Folder").first().fill("");
    await page.getByLabel("Newest releases to keep").first().fill("");
    await page.getByRole("button", {name: "Set the rules"}).click();
    await page.getByText("There are no rules").waitFor();
    await page.goto("/console/limits");
    await page.getByText("Limit a class").click();
    await page.fill("#class", "lab");
    await page.fill("#class-rate", "1048576");
    await page.fill("#class-callers", "lab-*, bench");
    await page.getByRole("button", {name: "Set the limit", exact: true}).click();
    const limit = page.locator("tr", {hasText: "lab-*, bench"});
    await limit.getByText("1.0 MiB/s").waitFor();
    await limit.getByRole("button", {name: "Delete"}).click();
    await confirm(page, "lab");
    await limit.waitFor({state: "detached"});
    await page.context().close();
  },

  // Names are text, on every page that shows them.
  async hostile(browser) {
    const markup = "<img src=x onerror=alert(1)>\"'&\u202egpj";
    await api("POST", "/api/v1/repositories", {name: "hostile", public: true});
    const path = `${markup}/${"x".repeat(900)}.img`;
    const encoded = path.split("/").map(encodeURIComponent).join("/");
    await api("PUT", `/api/v1/repositories/hostile/artifacts/${encoded}`, Buffer.alloc(1000, 1), "application/octet-stream");
    const {id} = await api("POST", "/api/v1/tokens", {name: markup, role: "reader", repositories: ["hostile"]});
    await api("PUT", `/api/v1/tokens/${id}/labels`, {ring: markup});
    await api("PUT", "/api/v1/repositories/hostile/channels/stable", {release: markup, comment: markup,
      percentage: 10, groups: {callers: [markup]}, stop: {percentage: 5}});
    await api("PUT", "/api/v1/repositories/hostile/retention", {rules: [{folder: markup, days: 1}]});
    const gone = `/api/v1/repositories/hostile/artifacts/gone/${encoded}`;
    await api("PUT", gone, Buffer.alloc(1000, 1), "application/octet-stream");
    await api("DELETE", gone);
    const device = "<b onclick=alert(1)>'\"&";
    const sent = await fetch(`${base}/artifacts/hostile/${encoded}`, {headers: {"RAUC-Serial": device}});
    await sent.arrayBuffer();
    const page = await open(browser, base, {viewport: {width: 360, height: 700}});
    await signIn(page, admin);
    const query = `repository=hostile&path=${encodeURIComponent(path)}`;
    for (const address of ["/console/", "/console/tokens", "/console/audit", "/console/jobs", "/console/storage", "/console/repository?name=hostile",
      "/console/channels?repository=hostile", "/console/channel?repository=hostile&name=stable",
      "/console/channel/rollout?repository=hostile&name=stable",
      "/console/deleted?repository=hostile", "/console/retention?repository=hostile&preview=true",
      `/console/artifact?${query}`, `/console/rollout?${query}`, `/console/device?name=${encodeURIComponent(device)}`]) {
      await accessible(page, address);
      check(await page.locator("main img:not(.qr), main b").count() === 0, `${address} has an element of a name`);
    }
    await page.goto("/console/repository?name=hostile");
    check(await page.getByRole("link", {name: path, exact: true}).count() === 1, "The path is the text of its link");
    await page.context().close();
  },

  // Every page, in light and dark, on a phone and on a wide screen.
  async everyPage(browser) {
    await api("POST", "/api/v1/repositories", {name: "boards"});
    await api("PUT", "/api/v1/repositories/boards/artifacts/board-a/1.0/fw.img", Buffer.alloc(3000000, 1), "application/octet-stream");
    for (const release of ["1.0", "1.1", "1.2"]) {
      const path = `/api/v1/repositories/boards/artifacts/board-b/${release}/fw.img`;
      await api("PUT", path, Buffer.alloc(300000, 3), "application/octet-stream");
      await api("PUT", "/api/v1/repositories/boards/channels/stable",
        {release: `board-b/${release}`, comment: `Boards of series B get ${release}`,
          ...release === "1.2" && {percentage: 10, windows: ["Mon-Fri 22:00-04:00 Europe/Berlin"], stop: {percentage: 5}}},
        "application/json", release === "1.0" ? {} : {"If-Match": "*"});
    }
    await api("PUT", "/api/v1/repositories/boards/artifacts/board-b/1.2/fw.img/hold", {until: "2040-01-01T00:00:00Z", reason: "recall 7"});
    await api("POST", "/api/v1/repositories/boards/artifacts/board-a/1.0/fw.img/attachments?kind=notes&label=lang=en", Buffer.from("Fixes the watchdog"), "text/plain");
    await api("PUT", "/api/v1/repositories/boards/retention", {rules: [{folder: "board-a", newest: 3, days: 30}]});
    for (const name of ["a", "b"]) {
      const path = `/api/v1/repositories/boards/artifacts/board-c/${name}.img`;
      await api("PUT", path, Buffer.alloc(1000, 4), "application/octet-stream");
      await api("DELETE", path);
    }
    // Three devices have all of the release, two a part, and two something else.
    for (let i = 0; i < 7; i++) {
      const sent = await fetch(`${base}/artifacts/boards/${i < 5 ? "board-b/1.2" : "board-a/1.0"}/fw.img`,
        {headers: {"Authorization": `Bearer ${admin}`, "RAUC-Serial": `board-${i}`, ...i >= 3 && {"Range": "bytes=0-149999"}}});
      await sent.arrayBuffer();
    }
    const query = "repository=boards&path=board-a/1.0/fw.img";
    const pages = {overview: "/console/", repositories: "/console/repositories", repository: "/console/repository?name=boards",
      channels: "/console/channels?repository=boards", channel: "/console/channel?repository=boards&name=stable", channelRollout: "/console/channel/rollout?repository=boards&name=stable",
      retention: "/console/retention?repository=boards&preview=true", deleted: "/console/deleted?repository=boards",
      held: "/console/artifact?repository=boards&path=board-b/1.2/fw.img", artifact: `/console/artifact?${query}`, rollouts: "/console/rollout", rollout: `/console/rollout?${query}`,
      device: "/console/device?name=device-1", tokens: "/console/tokens", limits: "/console/limits", keys: "/console/keys",
      audit: "/console/audit", verification: "/console/audit/verification", jobs: "/console/jobs", storage: "/console/storage", doctor: "/console/doctor?run=true"};
    const page = await open(browser, base);
    page.expected.push(/status of 40[14]/);
    const look = async (name, address) => {
      await page.setViewportSize({width: 360, height: 800});
      await page.emulateMedia({colorScheme: "light"});
      await accessible(page, address);
      await page.screenshot({path: `${pictures}/${name}-light-360.png`});
      await page.setViewportSize({width: 1280, height: 800});
      await page.screenshot({path: `${pictures}/${name}-light-1280.png`});
      await page.emulateMedia({colorScheme: "dark"});
      await examine(page);
      await page.screenshot({path: `${pictures}/${name}-dark-1280.png`});
    };
    await look("login", "/login");
    await signIn(page, admin);
    for (const [name, address] of Object.entries(pages)) {
      await look(name, address);
    }
    await page.goto("/console/channel?repository=boards&name=stable");
    await page.getByRole("img", {name: "3 devices have all of it, 2 a part, 2 nothing"}).waitFor();
    await look("nothing", "/console/nothing");
    await page.getByRole("button", {name: "Sign out"}).click();
    await page.waitForURL("**/login");
    await page.fill("[name=token]", "wrong");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("does not know this token").waitFor();
    await page.context().close();
  },
};

// Says of each scenario in a line how it went. Some wait most of the time, so two run side by side.
(async () => {
  const browser = await launch();
  const waiting = process.argv.slice(2);
  const work = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const visit = {browser, faults: []};
      let failure = "";
      try {
        await scenarios[name](visit);
        check(visit.faults.length === 0, "Pages logged errors:\n" + visit.faults.join("\n"));
      } catch (cause) {
        failure = [cause.stack, ...visit.faults].join("\n");
      }
      console.log(JSON.stringify({name, failure}));
    }
  };
  await Promise.all([work(), work()]);
  await browser.close();
})();
