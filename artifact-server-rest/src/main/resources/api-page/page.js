"use strict";

const entrance = document.getElementById("entrance");
const refusal = document.getElementById("refusal");

entrance.addEventListener("submit", async (event) => {
  event.preventDefault();
  const authorization = "Bearer " + document.getElementById("token").value.trim();
  const answer = await fetch("/v3/api-docs", { headers: { Authorization: authorization } });
  if (!answer.ok) {
    const problem = await answer.json().catch(() => ({}));
    refusal.textContent = problem.detail || "The server answered " + answer.status + ".";
    return;
  }
  entrance.remove();
  SwaggerUIBundle({
    spec: await answer.json(),
    dom_id: "#api",
    deepLinking: true,
    requestInterceptor: (request) => {
      request.headers.Authorization = request.headers.Authorization || authorization;
      return request;
    },
  });
});
