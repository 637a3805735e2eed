// The playground's interface.

const BASE = "/playground/api";

async function ask(method, path, body) {
  const options = { method, headers: {} };
  if (body !== undefined) {
    options.headers["content-type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let answer;
  try {
    answer = await fetch(BASE + path, options);
  } catch {
    throw new Error("连不上了，稍等再试");
  }
  const data = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(data.message ?? "没有成功，稍后再试");
  return data;
}

export const table = async () => (await ask("GET", "/table")).table;
export const lay = async (wanted) => (await ask("POST", "/table", wanted)).table;
export const setPace = (pace) => ask("POST", "/table/pace", { pace });
export const next = () => ask("POST", "/table/next", {});
export const end = () => ask("POST", "/table/end", {});
export const person = (user) => ask("GET", `/users/${user}`);
export const join = (user, group) => ask("POST", `/users/${user}/join`, { group });

export const send = (user, chat, text, replyTo) =>
  ask("POST", `/users/${user}/send`, {
    scene: chat.scene,
    peer: chat.peer,
    text,
    reply_to: replyTo ?? undefined,
  });

/** Lines as they come, from the beginning on; gives a function that stops it. */
export function listen(user, { line, changed, state }) {
  const source = new EventSource(`${BASE}/users/${user}/stream?after=0`);
  source.addEventListener("line", (event) => line(JSON.parse(event.data)));
  source.addEventListener("changed", () => changed());
  source.addEventListener("open", () => state(true));
  source.addEventListener("error", () => state(false));
  return () => source.close();
}
