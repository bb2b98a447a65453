"use strict";
// What every page does: changes are calls of the API, with the change token that the page was given.
(() => {
  const CHANGE_FIELD = "X-CSRF-Token";
  const changeToken = document.querySelector('meta[name="change-token"]').content;

  document.addEventListener("htmx:config:request", event => {
    event.detail.ctx.request.headers[CHANGE_FIELD] = changeToken;
  });

  function say(text, isBad) {
    const message = document.createElement("div");
    message.textContent = text;
    message.className = isBad ? "bad" : "";
    const all = document.getElementById("messages");
    all.append(message);
    setTimeout(() => message.remove(), isBad ? 20000 : 5000);
  }

  // Answers with the parsed body, and says what went wrong in the server's own words.
  async function call(method, path, body, conditions) {
    const headers = {[CHANGE_FIELD]: changeToken, "Accept": "application/json", ...conditions};
    if (body !== undefined) {
      headers["Content-Type"] = "application/json";
    }
    let answer;
    try {
      answer = await fetch(path, {method, headers, body: body === undefined ? undefined : JSON.stringify(body)});
    } catch {
      throw new Error("The server cannot be reached. Nothing may have changed; try again.");
    }
    if (answer.status === 401) {
      location.assign("/login?next=" + encodeURIComponent(location.pathname + location.search));
    }
    const text = await answer.text();
    if (!answer.ok) {
      let problem = {};
      try {
        problem = JSON.parse(text);
      } catch {
        // No problem detail: the status has to do.
      }
      throw new Error(problem.detail ? `${problem.title}: ${problem.detail}` : `Status ${answer.status}`);
    }
    return text && answer.headers.get("Content-Type")?.includes("json") ? JSON.parse(text) : {};
  }

  // A field as the API takes it: absent where it is empty.
  function value(input) {
    const text = input.value.trim();
    if (input.type === "checkbox") {
      return input.checked;
    } else if (text === "") {
      return undefined;
    }
    switch (input.dataset.type ?? input.type) {
      case "list":
        return text.split(",").map(each => each.trim()).filter(each => each);
      case "lines":
        return text.split("\n").map(each => each.trim()).filter(each => each);
      case "labels":
        return Object.fromEntries(text.split("\n").map(each => each.trim()).filter(each => each)
          .map(each => [each.split("=", 1)[0].trim(), each.slice(each.split("=", 1)[0].length + 1).trim()]));
      case "instant":
        return new Date(text).toISOString();
      case "number":
        return Number(text);
      default:
        return text;
    }
  }

  // A name with a dot is a property of an object.
  function values(inputs) {
    const all = {};
    for (const input of inputs) {
      const found = value(input);
      if (found !== undefined) {
        const path = input.name.split(".");
        const last = path.pop();
        path.reduce((object, name) => object[name] ??= {}, all)[last] = found;
      }
    }
    return all;
  }

  // What the page knows, and what the fields say. Groups of fields are the objects of an array; empty ones are left out.
  function fields(form) {
    const body = {...JSON.parse(form.dataset.body ?? "{}"),
      ...values([...form.elements].filter(input => input.name && !input.closest("[data-items]")))};
    for (const group of form.querySelectorAll("[data-items]")) {
      const all = body[group.dataset.items] ??= [];
      const item = values(group.querySelectorAll("[name]"));
      if (Object.keys(item).length > 0) {
        all.push(item);
      }
    }
    // Some calls take the value of one field alone.
    return form.dataset.only ? body[form.dataset.only] ?? {} : body;
  }

  // What is dangerous is confirmed by typing its name.
  function confirmed(name, question) {
    return new Promise(resolve => {
      const dialog = document.createElement("dialog");
      const form = document.createElement("form");
      form.method = "dialog";
      const text = document.createElement("p");
      text.textContent = question;
      const label = document.createElement("label");
      label.textContent = "Type the name to confirm: ";
      const shown = document.createElement("code");
      shown.textContent = name;
      label.append(shown);
      const input = document.createElement("input");
      input.autocomplete = "off";
      input.setAttribute("aria-label", "The name");
      const yes = document.createElement("button");
      yes.textContent = "Do it";
      yes.className = "danger";
      yes.value = "yes";
      yes.disabled = true;
      const no = document.createElement("button");
      no.textContent = "Cancel";
      no.formNoValidate = true;
      input.addEventListener("input", () => yes.disabled = input.value !== name);
      form.append(text, label, input, document.createElement("br"), yes, " ", no);
      dialog.append(form);
      document.body.append(dialog);
      dialog.addEventListener("close", () => {
        dialog.remove();
        resolve(dialog.returnValue === "yes" && input.value === name);
      });
      dialog.showModal();
      input.focus();
    });
  }

  async function run(element, body) {
    const [method, template] = element.dataset.call.split(" ");
    // A field may be a part of the address.
    const path = template.replace(/\{(\w+)\}/, (_, field) => {
      const part = encodeURIComponent(body[field]);
      delete body[field];
      return part;
    });
    // What the page shows: nothing is changed that looks different by now.
    const conditions = {};
    for (const [field, tag] of [["If-Match", element.dataset.ifMatch], ["If-None-Match", element.dataset.ifNoneMatch]]) {
      if (tag !== undefined) {
        conditions[field] = tag;
      }
    }
    const name = element.dataset.confirm;
    if (name !== undefined && !await confirmed(name, element.dataset.question ?? element.textContent.trim() + "?")) {
      return;
    }
    try {
      const answer = await call(method, path, body, conditions);
      const result = element.dataset.result && document.getElementById(element.dataset.result);
      if (result) {
        result.hidden = false;
        const value = answer[result.dataset.field];
        const picture = result.querySelector("[data-qr]");
        result.querySelector("[data-value]").textContent = picture ? location.origin + value : value;
        if (picture) {
          picture.src = picture.dataset.qr + encodeURIComponent(value);
        }
        result.focus();
      } else if (element.dataset.next) {
        location.assign(element.dataset.next);
      } else {
        location.reload();
      }
    } catch (failure) {
      say(failure.message, true);
    }
  }

  document.addEventListener("submit", event => {
    if (event.target.dataset.call) {
      event.preventDefault();
      run(event.target, fields(event.target));
    }
  });

  document.addEventListener("click", event => {
    const button = event.target.closest("button");
    if (button?.dataset.call) {
      run(button, button.dataset.body ? JSON.parse(button.dataset.body) : undefined);
    } else if (button?.dataset.copy !== undefined) {
      const text = button.parentElement.querySelector("pre, code, output").textContent;
      navigator.clipboard.writeText(text).then(() => say("Copied."), () => say("The browser does not let pages copy here.", true));
    }
  });

  // Times in the reader's zone; the exact one is in the title.
  const format = new Intl.DateTimeFormat(undefined, {dateStyle: "medium", timeStyle: "medium"});
  function localise(root) {
    for (const time of root.querySelectorAll("time[datetime]")) {
      time.textContent = format.format(new Date(time.dateTime));
    }
  }
  localise(document);
  document.addEventListener("htmx:after:swap", () => localise(document));

  window.addEventListener("offline", () => say("The network is away. What is shown may be old.", true));
  window.addEventListener("online", () => say("The network is back."));

  window.artifactConsole = {call, say, localise, changeToken, CHANGE_FIELD};
})();
