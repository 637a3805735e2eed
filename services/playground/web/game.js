// What the player who is looked at knows: chats, phase, seats, skills. Fed line by line.

import * as words from "./words.js";

const THREADS = ["day", "election"];

export const keyOf = (line) => (line.scene === "group" ? `g${line.peer}` : "p");

export class Game {
  constructor(table, as) {
    this.table = table;
    this.as = as;
    this.lines = new Map();
    this.chats = new Map();
    this.phase = { kind: "setting", name: "摆桌子中" };
    this.seats = [];
    this.out = new Set();
    this.sheriff = null;
    this.card = null;
    this.open = [];
    this.prompted = false;
    this.modes = null;
    this.vote = null;
    this.requests = new Map();
    this.chat("p", "private", table.bot, "私聊");
    this.chat(`g${table.square}`, "group", table.square, "广场");
  }

  get isDirector() {
    return this.as === this.table.director.id;
  }

  get alias() {
    const found = [...this.table.seats, this.table.director].find((one) => one.id === this.as);
    return found?.name ?? "";
  }

  get square() {
    return this.chats.get(`g${this.table.square}`);
  }

  get private() {
    return this.chats.get("p");
  }

  /** The chats to show, in order: the square, the private chat, private groups. */
  get shown() {
    const rest = [...this.chats.values()].filter((chat) => chat !== this.square && chat !== this.private);
    return [this.square, this.private, ...rest];
  }

  chat(key, scene, peer, title) {
    if (!this.chats.has(key)) {
      this.chats.set(key, { key, scene, peer, title, lines: [], member: true });
    }
    return this.chats.get(key);
  }

  /** Takes a line; gives its chat, and whether it is new. */
  take(line) {
    const chat = this.chat(keyOf(line), line.scene, line.peer, line.scene === "group" ? "群聊" : "私聊");
    const known = this.lines.get(line.seq);
    this.lines.set(line.seq, line);
    if (known) {
      chat.lines[chat.lines.findIndex((one) => one.seq === line.seq)] = line;
      return { chat, fresh: false };
    }
    chat.lines.push(line);
    if (line.own) this.hearOwn(chat, line);
    else if (line.from === this.table.bot) this.hearHost(chat, line);
    return { chat, fresh: true };
  }

  hearHost(chat, line) {
    if (chat === this.square) {
      for (const sign of words.publicSigns(line.text)) this.notice(sign, line);
      const refused = this.vote && line.reply_to === this.vote.seq && !/记下|投给|已经/.test(line.text);
      if (refused) this.vote = null;
      return;
    }
    const skills = words.status(line.text);
    if (skills) {
      this.open = skills;
      this.prompted = false;
      return;
    }
    this.card = words.card(line.text) ?? this.card;
    if (words.isPrompt(line.text)) this.prompted = true;
    const modes = line.text.match(/^(.+?)要写明选哪一个：(.+?)。/);
    if (modes) this.modes = { skill: modes[1], choices: modes[2].split("、") };
  }

  notice(sign, line) {
    if (sign.kind === "dealt") this.seats = sign.seats;
    if (sign.kind === "out") for (const name of sign.names) this.out.add(name);
    if (sign.kind === "sheriff") this.sheriff = sign.seat;
    if (!sign.name) return;
    this.phase = { ...sign, at: line.time_ms };
    this.open = [];
    this.prompted = false;
    this.modes = null;
    this.vote = null;
  }

  hearOwn(chat, line) {
    if (chat === this.square) {
      if (words.isVote(line.text) && !this.vote) {
        this.vote = { seq: line.seq, target: words.votedFor(line.text) };
      }
      return;
    }
    if (line.text.trim() === "我") return;
    const declined = line.text.match(/^放弃\s*(.*)$/);
    const used = (name) => line.text === name || line.text.startsWith(`${name} `);
    this.open = this.open.filter((skill) => {
      if (declined) return declined[1] && declined[1].trim() !== skill.name;
      return !used(skill.name);
    });
  }

  /** Takes what the world says of the player: groups and requests to join. */
  know(person) {
    for (const group of person.groups) {
      const title = group.id === this.table.square ? "广场" : group.name.replace(/^.*·/, "");
      const chat = this.chat(`g${group.id}`, "group", group.id, title);
      chat.title = title;
      chat.member = group.member;
    }
    this.requests = new Map();
    // The newest request about a group is the one that counts.
    for (const request of person.requests.toReversed()) this.requests.set(request.group, request);
  }

  isMember(group) {
    return this.chats.get(`g${group}`)?.member ?? false;
  }

  get isVoting() {
    return THREADS.includes(this.phase.kind) && !this.out.has(this.alias);
  }

  /** Who can be named in a vote. */
  get candidates() {
    return this.seats.filter((name) => !this.out.has(name));
  }

  /** The alias of a seat's number, from the deal. */
  number(name) {
    const place = this.seats.indexOf(name);
    return place < 0 ? null : place + 1;
  }

  /** What is best done now. */
  get advice() {
    if (this.isDirector) return "你在导演的位置：打「状态」看整局，打「下一步」往前走。";
    switch (this.phase.kind) {
      case "setting": return "导演正在摆桌子，机器人陆续入座。";
      case "lobby": return "正在报名，人齐了就发牌。";
      case "dealt": return "发牌了，看看私聊里你是谁。";
      case "over": return "这一局结束了，广场上有揭秘。";
      default:
    }
    if (this.out.has(this.alias)) return "你已经出局，安心看戏，别诈尸。";
    if (this.open.length) return "轮到你了：在私聊点技能，再点名字。";
    if (this.prompted) return "轮到你了：在私聊点「我」，看能用什么。";
    switch (this.phase.kind) {
      case "opening": return "刚开局，先认认你的身份。";
      case "night": return "夜里，有技能的人在行动。没你的事就等天亮。";
      case "election": return this.vote ? "票投好了，等结果。" : "选警长：在广场点「投票」。";
      case "day": return this.vote ? "票投好了，还可以接着聊。" : "先听听大家说什么，再点「投票」。";
      case "dusk": return "关门了，马上入夜。";
      case "dawn": return "夜过去了，等开门。";
      default: return "";
    }
  }
}
