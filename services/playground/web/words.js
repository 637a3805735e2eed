// What the page understands of the host's words, to show phase, seats and skills at a glance. It
// reads only what the player reads; what it does not understand it leaves alone.

const list = (names) => {
  const clean = names.trim().replace(/。$/, "");
  return /^(无|没有|-|$)/.test(clean) ? [] : clean.split("、").map((name) => name.trim());
};

/** What a public notice says, in order. */
export function publicSigns(text) {
  if (text.includes("发牌了")) {
    const seats = [...text.matchAll(/^\s*(\d+)号 (.+)$/gm)].map((found) => found[2].trim());
    return [{ kind: "dealt", name: "看牌", seats }];
  }
  const signs = [];
  for (const line of text.split("\n")) {
    const sign = publicSign(line);
    if (sign) signs.push(sign);
  }
  const until = text.match(/截止 (\d{1,2}):(\d{2})/);
  const last = signs.findLast((sign) => sign.name);
  if (until && last) last.until = [Number(until[1]), Number(until[2])];
  return signs;
}

function publicSign(line) {
  let found;
  if (/游戏结束|导演结束了这一局|^【.*取消了/.test(line)) return { kind: "over", name: "结束了" };
  if (line.includes("开局【")) return { kind: "lobby", name: "报名中" };
  if (line.includes("开局了")) return { kind: "opening", name: "开局" };
  if ((found = line.match(/出局(?:公示)?：(.+)/))) return { kind: "out", names: list(found[1]) };
  if ((found = line.match(/(\S+?)被\S+带走了/))) {
    return { kind: "out", names: [found[1].replace(/^[^\p{L}\p{N}]+/u, "")] };
  }
  if ((found = line.match(/^(?:⭐ )?(.+?)当选警长/))) return { kind: "sheriff", seat: found[1] };
  if ((found = line.match(/，(.+?)继任警长/))) return { kind: "sheriff", seat: found[1] };
  if (line.includes("不再有警长")) return { kind: "sheriff", seat: null };
  if ((found = line.match(/^警长：(.+)/))) return { kind: "sheriff", seat: list(found[1])[0] ?? null };
  if (/警长竞选/.test(line) && line.includes("投票")) return { kind: "election", name: "警长竞选" };
  if ((found = line.match(/警长竞选 · (.+?)。/))) return { kind: "badge", name: `竞选 · ${found[1]}` };
  if ((found = line.match(/第(\d+)夜过去/))) return { kind: "dawn", name: `第${found[1]}夜过去` };
  if ((found = line.match(/第(\d+)夜 · (.+?)。/))) {
    return { kind: "night", name: `第${found[1]}夜 · ${found[2]}` };
  }
  if ((found = line.match(/第(\d+)天开门/))) return { kind: "day", name: `第${found[1]}天` };
  if ((found = line.match(/第(\d+)天关门/))) return { kind: "dusk", name: `第${found[1]}天关门` };
  return null;
}

/** The answer to 我: `技能｜剩余｜可选｜截止` for each open skill; null when the text is none. */
export function status(text) {
  const lines = text.split("\n").filter((line) => line.trim());
  if (!lines.length || lines[0].split("｜").length < 3 || !lines[0].includes("号")) return null;
  const skills = [];
  for (const line of lines.slice(1)) {
    const fields = line.split("｜").map((field) => field.trim());
    if (fields.length !== 4 || !(fields[1] === "∞" || /^\d+$/.test(fields[1]))) continue;
    skills.push({ name: fields[0], left: fields[1], range: list(fields[2]) });
  }
  return skills;
}

/** One's card, from the message that tells it. */
export function card(text) {
  const found = text.match(/你的身份是【(.+?)】，属于(.+?)。/);
  return found ? { role: found[1], faction: found[2] } : null;
}

/** The group that a message invites to. */
export function invitation(text) {
  const found = text.match(/群号\D*?(\d{5,12})/);
  if (!found) return null;
  const name = text.match(/「(.+?)」/);
  return { group: Number(found[1]), name: name ? name[1] : "私密群" };
}

/** Is there something that one can use now? */
export const isPrompt = (text) => /现在可以用：|你可以发动【|别忘了：/.test(text);

/** Was something that one sent taken? */
export const isReceipt = (text) => text.startsWith("✅");

/** Is a post an attempt to vote? */
export const isVote = (text) => /^\s*(投票|改票)/.test(text);

/** Whom a vote post names. */
export const votedFor = (text) => text.match(/(?:投票|改票)对象[：:]\s*(\S+)/)?.[1] ?? null;
