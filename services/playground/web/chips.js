// Short ways to what is usually typed.

const pickName = (skill) => ({ label: skill.name, kind: "hot", pick: skill.name });

/** The chips of a chat. A chip fills the text, sends it, opens names to pick from, or acts. */
export function chipsFor(chat, desk, picking) {
  const { game } = desk;
  if (game.phase.kind === "over") return [];
  if (chat === game.square) return squareChips(game, desk);
  if (picking) return names(game, picking);
  if (chat === game.private && game.isDirector) return directorChips();
  if (chat === game.private) return privateChips(game);
  return groupChips(game);
}

function squareChips(game, desk) {
  if (game.isDirector) {
    return [{ label: "发牌", send: "发牌" }, { label: "开始", send: "开始" }];
  }
  if (!game.isVoting) return game.seats.length ? [{ label: "电梯", send: "电梯" }] : [];
  const vote = game.vote
    ? { label: `改票（已投${game.vote.target ?? ""}）`, act: (pane) => desk.vote(pane, true) }
    : { label: "投票", kind: "hot", act: (pane) => desk.vote(pane, false) };
  return [vote, { label: "票型", send: "票型" }, { label: "电梯", send: "电梯" }];
}

function directorChips() {
  return ["状态", "下一步", "关门", "催票", "结算", "暂停", "继续"].map((word) => ({ label: word, send: word }));
}

function privateChips(game) {
  if (!game.seats.length) return [{ label: "帮助", send: "帮助" }];
  const chips = [];
  if (game.modes && game.open.some((skill) => skill.name === game.modes.skill)) {
    for (const choice of game.modes.choices) {
      chips.push({ label: choice, kind: "hot", fill: `${game.modes.skill} ${choice}` });
    }
  } else {
    for (const skill of game.open) {
      chips.push(skill.range.length ? pickName(skill) : { label: skill.name, kind: "hot", send: skill.name });
    }
  }
  if (game.open.length) chips.push({ label: "放弃", send: "放弃" });
  chips.push({ label: "我", kind: game.prompted ? "hot" : "", send: "我" });
  chips.push({ label: "帮助", send: "帮助" });
  if (game.out.has(game.alias)) chips.unshift({ label: "遗言", fill: "遗言 " });
  return chips;
}

function groupChips(game) {
  const shared = game.open.filter((skill) => skill.name === "杀人" && skill.range.length);
  return shared.map(pickName);
}

function names(game, picking) {
  const skill = game.open.find((one) => one.name === picking);
  const range = skill?.range ?? [];
  const back = { label: "← 返回", kind: "back", pick: null };
  return [back, ...range.map((name) => ({ label: name, fill: `${picking} ${name}` }))];
}
