// The page: first the hall, then the table.

import * as api from "./api.js";
import { $, el, face, toast, wireDialogs } from "./dom.js";
import { Game } from "./game.js";
import { Pane } from "./pane.js";

const PACES = { quick: "悠着点", rapid: "快", rush: "很快", manual: "手动" };
const memory = {
  get(name) {
    try { return JSON.parse(localStorage.getItem(`duskgate.${name}`)); } catch { return null; }
  },
  set(name, value) {
    try { localStorage.setItem(`duskgate.${name}`, JSON.stringify(value)); } catch { /* private mode */ }
  },
};

/** Everything on the table that is looked at from one seat. */
class Desk {
  constructor(table, as) {
    this.game = new Game(table, as);
    this.panes = new Map();
    this.open = this.game.square.key;
    this.active = null;
    this.offset = table.offset_minutes;
    this.read = memory.get(`read.${as}`) ?? {};
    this.loading = true;
    for (const chat of this.game.shown) this.pane(chat);
    this.stop = api.listen(as, {
      line: (line) => this.take(line),
      changed: () => this.changedSoon(),
      state: (up) => { $("link").textContent = up ? "" : "断线了，正在重连"; },
    });
    this.changed();
    this.timer = setInterval(() => this.drawUntil(), 5000);
    setTimeout(() => { this.loading = false; }, 1500);
    this.draw();
  }

  /** The time of day in the host's zone, in which the host tells times too. */
  clockOf(ms) {
    return new Date(ms + this.offset * 60_000).toISOString().slice(11, 16);
  }

  leave() {
    this.stop();
    clearInterval(this.timer);
    clearTimeout(this.soon);
    $("panes").replaceChildren();
    $("tabs").replaceChildren();
  }

  pane(chat) {
    if (!this.panes.has(chat.key)) {
      const pane = new Pane(chat, this);
      this.panes.set(chat.key, pane);
      $("panes").append(pane.root);
    }
    return this.panes.get(chat.key);
  }

  take(line) {
    const { chat, fresh } = this.game.take(line);
    this.pane(chat).show(line, fresh && !this.loading);
    this.drawSoon();
  }

  changedSoon() {
    clearTimeout(this.soon);
    this.soon = setTimeout(() => this.changed(), 400);
  }

  async changed() {
    try {
      this.game.know(await api.person(this.game.as));
    } catch (error) {
      toast(error.message);
      return;
    }
    for (const chat of this.game.shown) this.pane(chat).refresh();
    this.draw();
  }

  drawSoon() {
    this.frame ??= requestAnimationFrame(() => { this.frame = null; this.draw(); });
  }

  draw() {
    const { game } = this;
    $("phase").textContent = game.phase.name;
    const again = game.phase.kind === "over"
      ? el("button.again", { type: "button", onclick: toHall }, "再来一局")
      : null;
    $("guide").replaceChildren(game.advice, ...(again ? [again] : []));
    $("card").hidden = !game.card;
    if (game.card) $("card").textContent = hideCard ? "身份" : `${game.card.role}`;
    $("card").classList.toggle("hidden-card", hideCard);
    $("card").setAttribute("aria-label", game.card && !hideCard ? `身份：${game.card.role}，${game.card.faction}；点一下遮住` : "点一下看身份");
    this.drawUntil();
    this.drawMask();
    for (const pane of this.panes.values()) pane.drawChips();
    this.drawTabs();
  }

  drawUntil() {
    const { until, at } = this.game.phase;
    const { pace, over } = this.game.table;
    if (until && !over && (pace === "rapid" || pace === "rush")) {
      $("until").textContent = "快局，导演不等人";
      return;
    }
    if (!until || !at) {
      $("until").textContent = "";
      return;
    }
    // The host tells hours and minutes of its own zone: the first such instant after the notice.
    const day = 86_400_000;
    const shift = this.offset * 60_000;
    const midnight = Math.floor((at + shift) / day) * day - shift;
    let end = midnight + (until[0] * 60 + until[1]) * 60_000;
    if (end < at - 60_000) end += day;
    const minutes = Math.ceil((end - Date.now()) / 60_000);
    $("until").textContent = minutes > 0 ? `约剩 ${minutes} 分钟` : "就要截止";
  }

  drawMask() {
    const { table, as } = this.game;
    const own = table.you !== null && as === table.you;
    $("masked").hidden = own;
    if (own) return;
    const who = as === table.director.id ? "导演的位置" : `「${this.game.alias}」的座位`;
    const what = table.cast === "nobody" ? "排演" : "旁观";
    $("masked").textContent = `${what}中：你在${who}，看见的、说出去的都算它的。点这里换座位。`;
  }

  unread(chat) {
    const upto = this.read[chat.key] ?? 0;
    return chat.lines.filter((line) => line.seq > upto && !line.own).length;
  }

  drawTabs() {
    const wide = matchMedia("(min-width: 760px)").matches;
    let waiting = 0;
    const tabs = this.game.shown.map((chat) => {
      const pane = this.pane(chat);
      const chosen = chat.key === this.open;
      pane.root.classList.toggle("open", chosen);
      if (document.visibilityState === "visible" && (wide || chosen) && chat.lines.length) {
        this.read[chat.key] = chat.lines.at(-1).seq;
      }
      const unread = this.unread(chat);
      waiting += unread;
      const badge = unread ? el("span.badge", { "aria-label": `${unread} 条没看` }, unread > 99 ? "99+" : String(unread)) : null;
      return el("button", {
        type: "button", role: "tab", "aria-selected": String(chosen), "aria-controls": pane.root.id,
        onclick: () => this.show(chat.key),
      }, chat.title, badge);
    });
    $("tabs").replaceChildren(...tabs);
    $("panes").classList.toggle("three", tabs.length > 2);
    document.title = waiting ? `(${waiting}) 鸣潮 · Duskgate` : "鸣潮 · Duskgate";
    memory.set(`read.${this.game.as}`, this.read);
  }

  show(key) {
    this.open = key;
    this.drawTabs();
    this.panes.get(key).toEnd();
  }

  focused(pane) {
    this.active = pane;
  }

  draft(chat, text) {
    const name = `draft.${this.game.as}.${chat.key}`;
    if (text === undefined) return memory.get(name);
    memory.set(name, text);
    return text;
  }

  async send(chat, text, replyTo) {
    try {
      await api.send(this.game.as, chat, text, replyTo);
    } catch (error) {
      toast(error.message);
      throw error;
    }
  }

  async join(group) {
    try {
      await api.join(this.game.as, group);
      await this.changed();
    } catch (error) {
      toast(error.message);
    }
  }

  /** Helps with the prescribed form of a vote, or of its change. */
  vote(pane, change) {
    const word = change ? "改票" : "投票";
    const choose = (name) => {
      $("vote").close();
      if (change) {
        const own = this.game.lines.get(this.game.vote.seq);
        if (own && pane.reply?.seq !== own.seq) pane.quote(own);
      }
      pane.fill(`${word}对象：${name}\n${word}理由：`);
    };
    $("vote-title").textContent = change ? "改投给谁" : "投给谁";
    const button = (name) => el("button", { type: "button", onclick: () => choose(name) }, name);
    $("vote-names").replaceChildren(...[...this.game.candidates, "弃权"].map(button));
    $("vote").showModal();
  }

  drawSeats() {
    const { game } = this;
    const names = game.seats.length ? game.seats : game.table.seats.map((seat) => seat.name);
    const items = names.map((name, place) => {
      const notes = [
        game.sheriff === name ? "⭐警长" : "",
        name === game.alias ? "你" : "",
      ].filter(Boolean).join(" ");
      const label = game.seats.length ? `${place + 1}号 ${name}` : name;
      const tapped = () => { $("seats").close(); (this.active ?? this.pane(game.square)).insert(name); };
      return el("li", {}, el(`button${game.out.has(name) ? ".out" : ""}`, { type: "button", onclick: tapped }, face(name), label, el("small", {}, notes)));
    });
    $("seat-list").replaceChildren(...items);
  }
}

let desk = null;
let hideCard = memory.get("hide-card") ?? false;

function sit(table, as) {
  desk?.leave();
  $("hall").hidden = true;
  $("table").hidden = false;
  memory.set("as", { square: table.square, as });
  desk = new Desk(table, as);
}

function toHall() {
  desk?.leave();
  desk = null;
  document.title = "Duskgate · 游乐场";
  $("table").hidden = true;
  $("hall").hidden = false;
}

async function start(part) {
  const form = $("start");
  const name = form.elements.name.value.trim();
  const pace = part === "solo" ? "manual" : form.elements.pace.value;
  memory.set("name", name);
  form.querySelector(".go").disabled = true;
  try {
    const table = await api.lay({ part, name, pace });
    sit(table, table.you ?? table.director.id);
  } catch (error) {
    toast(error.message);
  } finally {
    form.querySelector(".go").disabled = false;
  }
}

function drawMenu() {
  const { table, as } = desk.game;
  const paces = Object.entries(PACES).filter(([pace]) => (table.pace === "manual") === (pace === "manual"));
  $("paces").replaceChildren(...paces.map(([pace, label]) => el("button", {
    type: "button", "aria-pressed": String(table.pace === pace), onclick: () => choosePace(pace),
  }, label)));
  const option = (id, label) => el("option", { value: id, selected: id === as }, label);
  const seats = table.seats.map((seat) => option(seat.id, seat.id === table.you ? `${seat.name}（你）` : seat.name));
  $("look-as").replaceChildren(...seats, option(table.director.id, "导演"));
  $("next").disabled = $("end").disabled = table.over;
}

async function choosePace(pace) {
  try {
    await api.setPace(pace);
    desk.game.table.pace = pace;
    drawMenu();
  } catch (error) {
    toast(error.message);
  }
}

function wire() {
  wireDialogs();
  $("name").value = memory.get("name") ?? "";
  $("start").addEventListener("submit", (event) => { event.preventDefault(); start("play"); });
  for (const link of document.querySelectorAll("[data-part]")) {
    link.addEventListener("click", () => start(link.dataset.part));
  }
  $("seats-open").addEventListener("click", () => { desk.drawSeats(); $("seats").showModal(); });
  for (const id of ["menu-open", "masked"]) {
    $(id).addEventListener("click", () => { drawMenu(); $("menu").showModal(); });
  }
  $("card").addEventListener("click", () => { hideCard = !hideCard; memory.set("hide-card", hideCard); desk.draw(); });
  $("look-as").addEventListener("change", (event) => { $("menu").close(); sit(desk.game.table, Number(event.target.value)); });
  $("next").addEventListener("click", async () => {
    $("menu").close();
    try { await api.next(); toast("导演打了「下一步」"); } catch (error) { toast(error.message); }
  });
  $("end").addEventListener("click", async () => {
    $("menu").close();
    try { await api.end(); toHall(); } catch (error) { toast(error.message); }
  });
  document.addEventListener("visibilitychange", () => desk?.drawTabs());
  matchMedia("(min-width: 760px)").addEventListener("change", () => desk?.draw());
}

async function begin() {
  wire();
  let table = null;
  try { table = await api.table(); } catch (error) { toast(error.message); }
  if (!table) {
    toHall();
    return;
  }
  const last = memory.get("as");
  const known = [...table.seats, table.director].some((one) => one.id === last?.as);
  sit(table, last?.square === table.square && known ? last.as : table.you ?? table.director.id);
}

begin();
