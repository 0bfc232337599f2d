// figures.js
const ask = document.querySelector("askwell-ask");
ask.tokenProvider = async (isRefused) => {
  const answer = await fetch(isRefused ? "/askwell-token?refused" : "/askwell-token", { method: "POST" });   // your server's own route, for people who are signed in there
  if (!answer.ok) throw new Error(`no token: ${answer.status}`);
  return (await answer.json()).token;
};
ask.addEventListener("askwell-answer", (event) => console.log(event.detail.question, event.detail.result.data));
ask.addEventListener("askwell-error", (event) => console.warn(event.detail.code, event.detail.message));
