// One chat on the page: its lines and the place to type.

import { el, face } from "./dom.js";
import { chipsFor } from "./chips.js";
import { invitation } from "./words.js";

const KEPT = 400;
const NEAR = 90;
const isTouch = matchMedia("(pointer: coarse)").matches;

export class Pane {
  constructor(chat, desk) {
    this.chat = chat;
    this.desk = desk;
    this.reply = null;
    this.picking = null;
    this.rows = new Map();
    this.build();
  }

  build() {
    const id = `pane-${this.chat.key}`;
    this.title = el("h2", {}, this.chat.title);
    this.empty = el("p.empty", {}, this.emptyWords());
    this.jump = el("button.jump", { type: "button", hidden: true, onclick: () => this.toEnd() }, "↓ 新消息");
    this.log = el("div.log", { role: "log", "aria-live": "polite", "aria-label": this.chat.title, tabindex: 0 }, this.empty, this.jump);
    this.log.addEventListener("scroll", () => this.scrolled());
    this.replying = el("div.replying", { hidden: true });
    this.chips = el("div.chips", { "aria-label": "快捷" });
    this.text = el("textarea", { rows: 1, maxlength: 5000, "aria-label": `在${this.chat.title}说`, placeholder: this.placeholder(), enterkeyhint: isTouch ? "enter" : "send" });
    this.text.addEventListener("keydown", (event) => this.pressed(event));
    this.text.addEventListener("focus", () => this.desk.focused(this));
    this.text.addEventListener("input", () => this.desk.draft(this.chat, this.text.value));
    this.text.value = this.desk.draft(this.chat) ?? "";
    // When the place to type grows, what was in view at the end stays in view.
    this.follows = true;
    new ResizeObserver(() => { if (this.follows) this.toEnd(); }).observe(this.log);
    const send = el("button.send", { type: "submit" }, "发送");
    const form = el("form.write", { onsubmit: (event) => { event.preventDefault(); this.send(); } }, this.text, send);
    this.say = el("div.say", {}, this.replying, this.chips, form);
    this.root = el("section.pane", { id, role: "tabpanel", "aria-label": this.chat.title }, this.title, this.log, this.say);
  }

  emptyWords() {
    if (this.chat.key === "p") return "主持在这里单独找你：身份、技能、查验结果。";
    return this.chat.scene === "group" && this.chat.peer === this.desk.game.table.square
      ? "广场还空着，导演马上就来。"
      : "这里只有自己人。";
  }

  placeholder() {
    if (this.chat.key === "p") return "发给主持";
    return `在${this.chat.title}说点什么`;
  }

  retitle() {
    this.title.textContent = this.chat.title;
    this.log.setAttribute("aria-label", this.chat.title);
    this.text.placeholder = this.placeholder();
    this.say.hidden = !this.chat.member;
  }

  show(line, fresh) {
    const old = this.rows.get(line.seq);
    const row = this.row(line);
    if (old) {
      old.replaceWith(row);
    } else {
      this.empty.hidden = true;
      const atEnd = this.follows;
      if (fresh) row.classList.add("fresh");
      this.log.insertBefore(row, this.jump);
      if (atEnd || line.own) this.toEnd();
      else this.jump.hidden = false;
    }
    this.rows.set(line.seq, row);
    if (this.rows.size > KEPT) {
      const [first, oldest] = this.rows.entries().next().value;
      oldest.remove();
      this.rows.delete(first);
    }
  }

  row(line) {
    const { game } = this.desk;
    const host = line.from === game.table.bot;
    const kind = line.own ? ".own" : host ? ".host" : "";
    const number = game.number(line.name);
    const name = number ? `${number}号 ${line.name}` : line.name;
    const row = el(`div.line${kind}`);
    const who = el("span.who", {}, name, el("time", {}, this.desk.clockOf(line.time_ms)));
    if (line.recalled) {
      row.classList.add("recalled");
      row.append(face(line.name, host ? "☾" : undefined), who, el("div.bubble", {}, "撤回了一条消息"));
      return row;
    }
    const quoted = line.reply_to ? game.lines.get(line.reply_to) : null;
    const quote = line.reply_to ? el("span.quote", {}, quoted ? `${quoted.name}：${quoted.text.split("\n")[0]}` : "（更早的消息）") : null;
    const canQuote = this.chat.scene === "group";
    const bubble = el("div.bubble", {}, quote, line.text);
    const reply = canQuote
      ? el("button.reply", { type: "button", "aria-label": `回复${name}`, onclick: () => this.quote(line) }, "↩")
      : null;
    if (canQuote) {
      row.dataset.quotes = "";
      bubble.addEventListener("click", () => this.quote(line));
    }
    row.append(face(line.name, host ? "☾" : undefined), who, bubble, ...(reply ? [reply] : []));
    const invited = host && !canQuote ? invitation(line.text) : null;
    if (invited) row.append(this.joinButton(invited));
    if (line.reactions?.length) {
      row.append(el("div.reacts", {}, ...line.reactions.map(([, count]) => el("span", {}, `👍 ${count}`))));
    }
    return row;
  }

  joinButton({ group, name }) {
    const { game } = this.desk;
    const request = game.requests.get(group);
    const state = game.isMember(group) ? "已在群里" : request?.state === "asked" ? "已申请，等通过" : null;
    return el("button.join", { type: "button", disabled: state !== null, onclick: () => this.desk.join(group) }, state ?? `申请加入「${name}」`);
  }

  /** Draws again what depends on groups and requests. */
  refresh() {
    for (const [seq, row] of this.rows) {
      if (!row.querySelector(".join")) continue;
      const again = this.row(this.desk.game.lines.get(seq));
      row.replaceWith(again);
      this.rows.set(seq, again);
    }
    this.retitle();
    this.drawChips();
  }

  drawChips() {
    if (!this.desk.game.open.some((skill) => skill.name === this.picking)) this.picking = null;
    const chips = chipsFor(this.chat, this.desk, this.picking);
    this.chips.hidden = chips.length === 0;
    this.chips.replaceChildren(...chips.map((chip) => el(`button.chip${chip.kind ? `.${chip.kind}` : ""}`, {
      type: "button",
      onclick: () => this.tapped(chip),
    }, chip.label)));
  }

  tapped(chip) {
    if (chip.pick !== undefined) {
      this.picking = chip.pick;
      this.drawChips();
      return;
    }
    this.picking = null;
    if (chip.act) chip.act(this);
    else if (chip.send) this.desk.send(this.chat, chip.send, null).catch(() => {});
    else this.fill(chip.fill);
    this.drawChips();
  }

  /** Writes a text into the place to type. */
  fill(text) {
    this.text.value = text;
    this.desk.draft(this.chat, text);
    this.text.focus();
    this.text.setSelectionRange(text.length, text.length);
  }

  /** Adds a name to what is being typed. */
  insert(name) {
    const before = this.text.value;
    this.fill(before && !/[\s：:]$/.test(before) ? `${before} ${name}` : before + name);
  }

  quote(line) {
    if (getSelection()?.toString()) return;
    this.rows.get(this.reply?.seq)?.classList.remove("chosen");
    this.reply = this.reply?.seq === line.seq ? null : line;
    this.rows.get(this.reply?.seq)?.classList.add("chosen");
    this.drawReply();
    if (this.reply) this.text.focus();
  }

  drawReply() {
    this.replying.hidden = !this.reply;
    if (!this.reply) return;
    const cancel = el("button", { type: "button", "aria-label": "不回复了", onclick: () => this.quote(this.reply) }, "✕");
    this.replying.replaceChildren(el("span", {}, `回复 ${this.reply.name}：${this.reply.text.split("\n")[0]}`), cancel);
  }

  pressed(event) {
    if (event.key === "Escape" && this.reply) this.quote(this.reply);
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || isTouch) return;
    event.preventDefault();
    this.send();
  }

  async send() {
    const text = this.text.value.trim();
    if (!text) return;
    const { reply } = this;
    try {
      await this.desk.send(this.chat, text, reply?.seq ?? null);
    } catch {
      return;
    }
    if (this.text.value.trim() === text) this.fill("");
    if (this.reply && this.reply === reply) this.quote(reply);
  }

  isAtEnd() {
    return this.log.scrollHeight - this.log.scrollTop - this.log.clientHeight < NEAR;
  }

  toEnd() {
    this.follows = true;
    this.log.scrollTop = this.log.scrollHeight;
    this.jump.hidden = true;
  }

  scrolled() {
    this.follows = this.isAtEnd();
    if (this.follows) this.jump.hidden = true;
  }
}
