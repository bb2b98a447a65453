"use strict";

const STARTED = "artifact-server.sign-in";
const SIGN_IN = "/api/v1/sign-in?";

const entrance = document.getElementById("entrance");
const signIn = document.getElementById("sign-in");
const refusal = document.getElementById("refusal");
const page = location.origin + location.pathname;

async function json(answer) {
  if (!answer.ok) {
    const problem = await answer.json().catch(() => ({}));
    throw new Error(problem.detail || "The server answered " + answer.status + ".");
  }
  return answer.json();
}

async function show(action) {
  refusal.textContent = "";
  try {
    await action();
  } catch (failure) {
    refusal.textContent = failure.message;
  }
}

async function enter(token) {
  const authorization = "Bearer " + token;
  const spec = await json(await fetch("/v3/api-docs", { headers: { Authorization: authorization } }));
  entrance.remove();
  SwaggerUIBundle({
    spec,
    dom_id: "#api",
    deepLinking: true,
    requestInterceptor: (request) => {
      request.headers.Authorization = request.headers.Authorization || authorization;
      return request;
    },
  });
}

async function beginSignIn() {
  const start = await json(await fetch(SIGN_IN + new URLSearchParams({ redirectUri: page })));
  sessionStorage.setItem(STARTED, JSON.stringify({ state: start.state, verifier: start.verifier }));
  location.assign(start.url);
}

async function endSignIn(returned) {
  const started = JSON.parse(sessionStorage.getItem(STARTED) || "{}");
  sessionStorage.removeItem(STARTED);
  // Neither a reload nor the history is to bring the code back.
  history.replaceState(null, "", page);
  if (!started.state || started.state !== returned.get("state")) {
    throw new Error("This sign-in was not begun in this window. Begin it here.");
  }
  if (!returned.has("code")) {
    const reason = returned.get("error_description") || returned.get("error");
    throw new Error("The identity provider says: " + reason);
  }
  const query = { code: returned.get("code"), ...started, redirectUri: page };
  const { token } = await json(await fetch(SIGN_IN + new URLSearchParams(query), { method: "POST" }));
  await enter(token);
}

async function offerSignIn() {
  const answer = await fetch(SIGN_IN + new URLSearchParams({ redirectUri: page }));
  signIn.hidden = answer.status === 404;
}

entrance.addEventListener("submit", (event) => {
  event.preventDefault();
  show(() => enter(document.getElementById("token").value.trim()));
});
signIn.addEventListener("click", () => show(beginSignIn));

show(offerSignIn);
const returned = new URLSearchParams(location.search);
if (returned.has("state")) {
  show(() => endSignIn(returned));
}
