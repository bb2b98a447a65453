// A headless Chromium whose pages must log no error, and a relay whose connections can be cut.
"use strict";
const fs = require("fs");
const net = require("net");
const path = require("path");

const modules = process.env.MODULES;
const {chromium} = require(path.join(modules, "playwright-core"));
const axe = fs.readFileSync(path.join(modules, "axe-core", "axe.min.js"), "utf8");

function check(isTrue, message) {
  if (!isTrue) {
    throw new Error(message);
  }
}

// Whatever a page logs as an error is a fault, a refusal of its policy included, but for what a test expects.
// No colour is on its way to another one when it is looked at.
async function open({browser, faults}, base, options = {}) {
  const context = await browser.newContext({baseURL: base, reducedMotion: "reduce", ...options});
  const page = await context.newPage();
  page.expected = [];
  page.setDefaultTimeout(60000);
  const fault = text => {
    if (!page.expected.some(each => each.test(text))) {
      faults.push(`${page.url()}: ${text}`);
    }
  };
  page.on("console", message => {
    if (["error", "warning"].includes(message.type())) {
      fault(message.text());
    }
  });
  page.on("pageerror", failure => fault(failure.message));
  page.on("dialog", dialog => {
    if (dialog.type() !== "beforeunload") {
      faults.push(`${page.url()}: a dialog said ${dialog.message()}`);
    }
    dialog.accept();
  });
  return page;
}

async function signIn(page, token) {
  await page.goto("/");
  await page.fill("[name=token]", token);
  await page.getByRole("button", {name: "Sign in", exact: true}).click();
  await page.waitForURL("**/console/**");
}

// Violations that keep somebody out, and pages that are wider than their window.
async function examine(page) {
  const found = await page.evaluate(async () => (await axe.run({resultTypes: ["violations"], elementRef: false}))
    .violations.filter(each => ["serious", "critical"].includes(each.impact))
    .map(each => `${each.id}: ${each.nodes[0].html.slice(0, 200)}`));
  check(found.length === 0, `${page.url()}: ${found.join("; ")}`);
  const surplus = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  check(surplus <= 0, `${page.url()} is ${surplus} pixels wider than its window`);
}

async function accessible(page, address) {
  await page.goto(address);
  await page.waitForSelector("main");
  await page.evaluate(axe);
  await examine(page);
}

async function relay(port) {
  const sockets = new Set();
  let isCut = false;
  const server = net.createServer(client => {
    if (isCut) {
      client.destroy();
      return;
    }
    const there = net.connect(port, "127.0.0.1");
    for (const [one, other] of [[client, there], [there, client]]) {
      sockets.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  await new Promise(resolve => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${server.address().port}`,
    cut() {
      isCut = true;
      sockets.forEach(each => each.destroy());
    },
    restore() {
      isCut = false;
    },
    close() {
      this.cut();
      server.close();
    },
  };
}

module.exports = {
  chromium, check, open, signIn, accessible, examine, relay,
  launch: () => chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"],
  }),
};
