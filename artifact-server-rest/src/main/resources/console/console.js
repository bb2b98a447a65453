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
  async function call(method, path, body) {
    const headers = {[CHANGE_FIELD]: changeToken, "Accept": "application/json"};
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

  // Fields as the API takes them: absent where they are empty.
  function fields(form) {
    const body = {};
    for (const input of form.elements) {
      const value = input.value?.trim();
      if (!input.name) {
        continue;
      }
      if (input.type === "checkbox") {
        body[input.name] = input.checked;
      } else if (value === "") {
        continue;
      } else if (input.dataset.type === "list") {
        body[input.name] = value.split(",").map(each => each.trim()).filter(each => each);
      } else if (input.type === "number") {
        body[input.name] = Number(value);
      } else {
        body[input.name] = value;
      }
    }
    return body;
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
    const [method, path] = element.dataset.call.split(" ");
    const name = element.dataset.confirm;
    if (name !== undefined && !await confirmed(name, element.dataset.question ?? element.textContent.trim() + "?")) {
      return;
    }
    try {
      const answer = await call(method, path, body);
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

  window.artifactConsole = {call, say, localise, changeToken, CHANGE_FIELD};
})();
