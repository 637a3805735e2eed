//! From the shape of a file to a [`Board`]: names become ids, every mistake is collected.

use std::collections::BTreeMap;
use std::ops::Range;

use rules::board::{
    Board, Calendar, Choose, Colour, DealRules, DealSize, ElectionRules, End, Faction, Flow,
    GroupDef, Harm, Harms, LastWordsRule, ListOrder, Members, Oneself, Options, Penalties,
    Publication, Redirect, Role, SeatCount, Share, SheriffRules, SkillDef, StateDef, Team,
    TeamChoice, TieBreak, Told, Usage, VoteRules, Whom, Window, WindowKind, WinsChecked,
};
use rules::nearest::did_you_mean;
use rules::phase::PhaseKind;
use rules::skills::{self, Names, Param, Params};
use rules::wins::{Cond, Who, WinRule};
use rules::{ClassId, FactionId, GroupId, RoleId, SeatSet, SkillId, StateId, WindowId};
use toml::{Spanned, Value};

use crate::file::{
    BoardFile, CondFile, DayWordsFile, DealFile, EndFile, GroupFile, Name, NamesFile, SeatsFile,
    SkillFile, StateFile, ToldFile, WhoFile,
};
use crate::problem::{Collector, Problems};
use crate::sense;

/// Reads a board from its text.
///
/// # Errors
/// Every mistake with its place.
pub(crate) fn build(text: &str) -> Result<Board, Problems> {
    let mut problems = Collector::new(text);
    let file: BoardFile = match toml::from_str(text) {
        Ok(file) => file,
        Err(error) => {
            problems.add(error.span().unwrap_or(0..0), hinted(error.message()));
            return Err(problems.finish(()).err().unwrap_or(Problems(Vec::new())));
        }
    };
    let names = names(&file, &mut problems);
    let mut reader = Reader {
        names: &names,
        classes: plain(&file.classes),
        problems,
    };
    let board = reader.board(&file, text);
    reader.check_deal(&board, &file);
    if reader.problems.is_clean() {
        sense::look_through(&board, &file, &mut reader.problems);
    }
    reader.problems.finish(board)
}

/// Names with their places.
fn placed(names: &[Name]) -> impl Iterator<Item = (&str, Range<usize>)> {
    names.iter().map(|n| (n.get_ref().as_str(), n.span()))
}

/// What the parser says, with the nearest of the words that it expected.
fn hinted(message: &str) -> String {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let hint = match quoted.next() {
        Some(word) if message.starts_with("unknown field") => did_you_mean(word, quoted),
        _ => String::new(),
    };
    format!("{message}{hint}")
}

fn plain(names: &[Name]) -> Vec<String> {
    names.iter().map(|n| n.get_ref().clone()).collect()
}

/// The tables of names; a name that stands twice is a mistake.
fn names(file: &BoardFile, problems: &mut Collector) -> Names {
    let mut table = |kind: &str, names: Vec<&Name>| {
        for (i, name) in names.iter().enumerate() {
            if names[..i].iter().any(|n| n.get_ref() == name.get_ref()) {
                problems.add(
                    name.span(),
                    format!("{kind} {} stands twice", name.get_ref()),
                );
            }
        }
        names.into_iter().map(|n| n.get_ref().clone()).collect()
    };
    Names {
        factions: table("faction", file.factions.iter().collect()),
        roles: table("role", file.role.iter().map(|r| &r.name).collect()),
        skills: table("skill", file.skill.iter().map(|s| &s.name).collect()),
        states: table("state", file.state.iter().map(|s| &s.name).collect()),
        groups: table("group", file.group.iter().map(|g| &g.name).collect()),
        windows: table("window", file.window.iter().map(|w| &w.name).collect()),
    }
}

struct Reader<'a> {
    names: &'a Names,
    classes: Vec<String>,
    problems: Collector<'a>,
}

impl Reader<'_> {
    fn board(&mut self, file: &BoardFile, text: &str) -> Board {
        Board {
            id: file.id.get_ref().clone(),
            name: file.name.clone(),
            hash: crate::hash(text),
            source: text.into(),
            factions: self
                .names
                .factions
                .iter()
                .map(|n| Faction { name: n.clone() })
                .collect(),
            classes: self.classes.clone(),
            roles: self.roles(file),
            deal: self.deal_rules(&file.deal),
            skills: file
                .skill
                .iter()
                .enumerate()
                .map(|(i, s)| self.skill(i, s))
                .collect(),
            states: file.state.iter().map(|s| self.state_def(s)).collect(),
            groups: file.group.iter().map(|g| self.group_def(g)).collect(),
            windows: file
                .window
                .iter()
                .map(|w| Window {
                    name: w.name.get_ref().clone(),
                    phase: self.phase(&w.phase),
                    kind: self.window_kind(&w.kind),
                })
                .collect(),
            flow: Flow {
                lead: file.flow.lead.iter().map(|p| self.phase(p)).collect(),
                cycle: file.flow.cycle.iter().map(|p| self.phase(p)).collect(),
            },
            calendars: self.calendars(file),
            vote: VoteRules {
                changes: file.vote.changes,
                ballots_public: file.vote.ballots_public,
                secret_from: file.vote.secret_from,
                first_day_shows: file.vote.first_day_shows.as_ref().map(|n| self.state(n)),
            },
            sheriff: file.sheriff.as_ref().map(|s| SheriffRules {
                state: self.state(&s.state),
                skills: s.skills.iter().map(|n| self.skill_name(n)).collect(),
                pass: self.skill_name(&s.pass),
                election: ElectionRules {
                    candidates: s.election.candidates,
                    withdrawn_vote: s.election.withdrawn_vote,
                    lone_elected: s.election.lone_elected,
                    put_off: s.election.put_off,
                },
            }),
            settlement: file
                .settlement
                .hits
                .iter()
                .map(|n| self.skill_name(n))
                .collect(),
            preventions: file
                .settlement
                .preventions
                .iter()
                .map(|n| self.state(n))
                .collect(),
            redirects: file
                .settlement
                .redirects
                .iter()
                .map(|n| self.state(n))
                .collect(),
            stand_ins: file
                .settlement
                .stand_ins
                .iter()
                .map(|n| self.state(n))
                .collect(),
            draws: file
                .draw
                .iter()
                .map(|d| self.cond(d.when.get_ref(), &d.when.span()))
                .collect(),
            wins: file
                .win
                .iter()
                .map(|w| WinRule {
                    faction: self.faction(&w.faction),
                    wins: self.cond(&w.when, &w.faction.span()),
                    also: w.also.iter().map(|who| self.who(who)).collect(),
                })
                .collect(),
            wins_checked: match file.publication.wins_checked.get_ref().as_str() {
                "published" => WinsChecked::Published,
                "fixed" => WinsChecked::Fixed,
                _ => {
                    self.one_of(&file.publication.wins_checked, "published, fixed");
                    WinsChecked::Fixed
                }
            },
            publication: Publication {
                order: match file.publication.order.get_ref().as_str() {
                    "seat" => ListOrder::Seat,
                    "settlement" => ListOrder::Settlement,
                    "night-by-seat" => ListOrder::NightBySeat,
                    _ => {
                        let words = "seat, settlement, night-by-seat";
                        self.one_of(&file.publication.order, words);
                        ListOrder::Seat
                    }
                },
                causes: file.publication.causes,
                factions: file.publication.factions,
                told_at_once: file.publication.told_at_once,
                vote_at_once: file.publication.vote_at_once,
                cards: file.publication.cards,
                first_night_after_election: file.publication.first_night_after_election,
            },
            last_words: LastWordsRule {
                first_night: file.last_words.first_night,
                later_nights: file.last_words.later_nights,
                day: match file.last_words.day.get_ref() {
                    DayWordsFile::Everyone(true) => Harms::all(),
                    DayWordsFile::Everyone(false) => Harms::NONE,
                    DayWordsFile::By(words) => {
                        let place = file.last_words.day.span();
                        self.harms(words.iter().map(|w| (w.as_str(), place.clone())))
                    }
                },
            },
            penalties: Penalties {
                merge: file.penalties.merge,
                red_before_vote: file.penalties.red_before_vote,
                few_posts: file.penalties.few_posts,
                few_posts_three_days: file.penalties.few_posts_three_days,
                no_vote: file.penalties.no_vote,
            },
            surrender: file.surrender.iter().map(|n| self.faction(n)).collect(),
            options: Options {
                sheriff: file.options.sheriff && file.sheriff.is_some(),
                idle_cards: file.options.idle_cards,
                counts: file.vote.counts_public,
                runoff: file.options.runoff,
            },
        }
    }

    // --- names ------------------------------------------------------------------------------

    fn find(&mut self, kind: &str, table: &[String], name: &Name) -> usize {
        table
            .iter()
            .position(|n| n == name.get_ref())
            .unwrap_or_else(|| {
                let known = table.join(" ");
                let hint = did_you_mean(name.get_ref(), table.iter().map(String::as_str));
                let message = format!(
                    "no {kind} is called {:?}{hint}; there are: {known}",
                    name.get_ref()
                );
                self.problems.add(name.span(), message);
                0
            })
    }

    fn faction(&mut self, name: &Name) -> FactionId {
        FactionId(small(self.find("faction", &self.names.factions, name)))
    }

    fn class(&mut self, name: &Name) -> ClassId {
        let classes = self.classes.clone();
        ClassId(small(self.find("class", &classes, name)))
    }

    fn state(&mut self, name: &Name) -> StateId {
        StateId(small(self.find("state", &self.names.states, name)))
    }

    fn group(&mut self, name: &Name) -> GroupId {
        GroupId(small(self.find("group", &self.names.groups, name)))
    }

    fn role(&mut self, name: &Name) -> RoleId {
        RoleId(small(self.find("role", &self.names.roles, name)))
    }

    fn window(&mut self, name: &Name) -> WindowId {
        WindowId(small(self.find("window", &self.names.windows, name)))
    }

    fn skill_name(&mut self, name: &Name) -> SkillId {
        SkillId(u16::from(small(self.find(
            "skill",
            &self.names.skills,
            name,
        ))))
    }

    fn one_of(&mut self, name: &Name, words: &str) {
        self.none_of(name.get_ref(), name.span(), words);
    }

    fn none_of(&mut self, name: &str, place: Range<usize>, words: &str) {
        self.problems.add(
            place,
            format!(
                "{name:?} is none of: {words}{}",
                did_you_mean(name, words.split(", "))
            ),
        );
    }

    fn phase(&mut self, name: &Name) -> PhaseKind {
        PhaseKind::from_word(name.get_ref()).unwrap_or_else(|| {
            self.one_of(name, "opening, night, dawn, election, day, dusk");
            PhaseKind::Opening
        })
    }

    fn window_kind(&mut self, name: &Name) -> WindowKind {
        match name.get_ref().as_str() {
            "skills" => WindowKind::Skills,
            "vote" => WindowKind::Vote,
            "runoff" => WindowKind::Runoff,
            "reactions" => WindowKind::Reactions,
            "rest" => WindowKind::Rest,
            _ => {
                self.one_of(name, "skills, vote, runoff, reactions, rest");
                WindowKind::Skills
            }
        }
    }

    // --- parts ------------------------------------------------------------------------------

    fn calendars(&mut self, file: &BoardFile) -> Vec<Calendar> {
        let mut calendars = Vec::new();
        for (name, calendar) in &file.calendar {
            let ends = file
                .window
                .iter()
                .map(|w| self.end(if name == "slow" { &w.slow } else { &w.quick }))
                .collect();
            calendars.push(Calendar {
                name: name.clone(),
                ends,
                early: calendar.early,
                reaction_minutes: calendar.reaction_minutes,
                changes_stop_minutes: calendar.changes_stop_minutes,
                petitions_stop_minutes: calendar.petitions_stop_minutes,
            });
        }
        calendars
    }

    fn end(&mut self, end: &Spanned<EndFile>) -> End {
        match end.get_ref() {
            EndFile::Minutes(minutes) => End::After(*minutes),
            EndFile::At(text) => time_of_day(text).map_or_else(
                || {
                    let message = format!("{text:?} is no time of day such as \"21:30\"");
                    self.problems.add(end.span(), message);
                    End::After(1)
                },
                End::At,
            ),
        }
    }

    fn roles(&mut self, file: &BoardFile) -> Vec<Role> {
        file.role
            .iter()
            .map(|r| Role {
                name: r.name.get_ref().clone(),
                faction: r.faction.as_ref().map(|f| self.faction(f)),
                class: r.class.as_ref().map(|c| self.class(c)),
                strength: r.strength,
                count: r.count,
                skills: r.skills.iter().map(|s| self.skill_name(s)).collect(),
            })
            .collect()
    }

    fn deal_rules(&mut self, file: &DealFile) -> DealRules {
        DealRules {
            face_down: file.face_down,
            never_down: file.never_down.iter().map(|r| self.role(r)).collect(),
            one_down_of: file.one_down_of.as_ref().map(|f| self.faction(f)),
            shares: self.shares(file),
            sizes: file
                .size
                .iter()
                .map(|size| DealSize {
                    seats: *size.seats.get_ref(),
                    more: size.more.iter().map(|r| self.role(r)).collect(),
                })
                .collect(),
        }
    }

    fn shares(&mut self, file: &DealFile) -> Vec<Share> {
        let mut shares = Vec::new();
        for share in &file.share {
            let mut least = Vec::new();
            for (role, count) in &share.least {
                least.push((self.role(role), *count));
            }
            shares.push(Share {
                faction: self.faction(&share.faction),
                seats: share.seats,
                least,
            });
        }
        shares
    }

    fn group_def(&mut self, group: &GroupFile) -> GroupDef {
        let members = match (&group.faction, &group.state) {
            (Some(faction), None) => Members::Dealt(self.faction(faction)),
            (None, Some(state)) => Members::State(self.state(state)),
            _ => {
                let message = "name who meets in it: either a faction or a state";
                self.problems.add(group.name.span(), message);
                Members::State(StateId(u8::MAX))
            }
        };
        GroupDef {
            name: group.name.get_ref().clone(),
            members,
        }
    }

    fn harms<'n>(&mut self, names: impl IntoIterator<Item = (&'n str, Range<usize>)>) -> Harms {
        let mut harms = Harms::NONE;
        for (name, place) in names {
            match Harm::from_word(name) {
                Some(harm) => harms = harms.with(harm),
                None => self.none_of(name, place, "strike, pierce, crit, fatal, vote"),
            }
        }
        harms
    }

    fn team(&mut self, skill: &SkillFile) -> Option<Team> {
        let file = skill.team.as_ref()?;
        let names = match file.get_ref() {
            NamesFile::One(name) => std::slice::from_ref(name),
            NamesFile::Several(names) => names,
        };
        let groups = names
            .iter()
            .map(|name| self.group(&Name::new(file.span(), name.clone())))
            .collect();
        let word = skill.team_choice.as_ref();
        let choice = word.map_or(TeamChoice::Latest, |name| match name.get_ref().as_str() {
            "latest" => TeamChoice::Latest,
            "agreed" => TeamChoice::Agreed,
            _ => {
                self.one_of(name, "latest, agreed");
                TeamChoice::Latest
            }
        });
        Some(Team { groups, choice })
    }

    fn told(&mut self, told: &Spanned<ToldFile>) -> Told {
        match told.get_ref() {
            ToldFile::Always(true) => Told::Always,
            ToldFile::Always(false) => Told::Never,
            ToldFile::When(word) if word == "when-it-bars" => Told::WhenItBars,
            ToldFile::When(word) => {
                self.none_of(word, told.span(), "true, false, when-it-bars");
                Told::Never
            }
        }
    }

    fn state_def(&mut self, state: &StateFile) -> StateDef {
        let stops = self.harms(placed(&state.stops));
        let tie =
            state
                .tie
                .as_ref()
                .map_or(TieBreak::Nothing, |name| match name.get_ref().as_str() {
                    "any" => TieBreak::Any,
                    "tied" => TieBreak::Tied,
                    "itself" => TieBreak::Itself,
                    _ => {
                        self.one_of(name, "any, tied, itself");
                        TieBreak::Nothing
                    }
                });
        let redirect = state
            .redirect
            .as_ref()
            .and_then(|name| match name.get_ref().as_str() {
                "back" => Some(Redirect::Back),
                "partner" => Some(Redirect::Partner),
                "random" => Some(Redirect::Random),
                _ => {
                    self.one_of(name, "back, partner, random");
                    None
                }
            });
        let card = state
            .card
            .as_ref()
            .and_then(|name| match name.get_ref().as_str() {
                "blue" => Some(Colour::Blue),
                "yellow" => Some(Colour::Yellow),
                "red" => Some(Colour::Red),
                _ => {
                    self.one_of(name, "blue, yellow, red");
                    None
                }
            });
        StateDef {
            name: state.name.get_ref().clone(),
            stops,
            times: state.times,
            phases: state.phases.iter().map(|p| self.phase(p)).collect(),
            silences: state.silences,
            disarms: state.disarms,
            strips: state.strips,
            veils: state.veils,
            bewitches: state.bewitches,
            voteless: state.voteless,
            unvotable: state.unvotable,
            spares_layer: state.spares_layer,
            weight: hundredths(state.weight),
            tie,
            untargetable: state.untargetable,
            must_vote: state.must_vote,
            stays_in: state.stays_in,
            voted_instead: state.voted_instead,
            redirect,
            stand_in: state.stand_in,
            told: state.told.as_ref().map_or(Told::Never, |t| self.told(t)),
            fails_with: state.fails_with.iter().map(|s| self.state(s)).collect(),
            holds_back: state.holds_back,
            gone: state.gone,
            card,
        }
    }

    fn skill(&mut self, place: usize, skill: &SkillFile) -> SkillDef {
        let usage = match skill.usage.get_ref().as_str() {
            "sent" => Usage::Sent,
            "immediate" => Usage::Immediate,
            "reaction" => Usage::Reaction,
            "standing" => Usage::Standing,
            _ => {
                self.one_of(&skill.usage, "sent, immediate, reaction, standing");
                Usage::Standing
            }
        };
        if matches!(usage, Usage::Sent | Usage::Immediate) && skill.windows.is_empty() {
            let message = "a skill that is sent needs windows: name at least one";
            self.problems.add(skill.usage.span(), message);
        }
        let oneself =
            skill
                .oneself
                .as_ref()
                .map_or(Oneself::Yes, |name| match name.get_ref().as_str() {
                    "yes" => Oneself::Yes,
                    "no" => Oneself::No,
                    "first-night" => Oneself::FirstNight,
                    _ => {
                        self.one_of(name, "yes, no, first-night");
                        Oneself::Yes
                    }
                });
        let seats = match skill.seats {
            None => SeatCount::exactly(0),
            Some(SeatsFile::Exactly(n)) => SeatCount::exactly(n),
            Some(SeatsFile::Between([min, max])) => SeatCount { min, max },
        };
        let mut values = BTreeMap::new();
        for (key, value) in &skill.with {
            match param(value.get_ref()) {
                Some(param) => {
                    values.insert(key.get_ref().clone(), param);
                }
                None => self.problems.add(
                    value.span(),
                    "must be a flag, a whole number, a text or a list of names",
                ),
            }
        }
        let code = skills::build(skill.code.get_ref(), Params::new(self.names, values));
        let code = code.unwrap_or_else(|problem| {
            let span = problem
                .key
                .as_ref()
                .and_then(|k| skill.with.iter().find(|(name, _)| name.get_ref() == k))
                .map_or(skill.code.span(), |(name, _)| name.span());
            self.problems.add(span, problem.to_string());
            skills::nothing()
        });
        SkillDef {
            name: skill.name.get_ref().clone(),
            aliases: skill.aliases.clone(),
            windows: skill.windows.iter().map(|w| self.window(w)).collect(),
            usage,
            uses: skill.uses,
            forced: skill.forced,
            locked: skill.locked || skill.forced,
            every: skill.every,
            unhurried: skill.unhurried,
            seats,
            choose: Choose {
                oneself,
                not_twice_running: skill.not_twice_running,
                once_each: skill.once_each,
                not_faction: skill.not_faction.as_ref().map(|f| self.faction(f)),
                whom: match (skill.only_out, skill.also_out) {
                    (true, _) => Whom::Out,
                    (false, true) => Whom::Everyone,
                    (false, false) => Whom::InPlay,
                },
                not_state: skill.not_state.as_ref().map(|s| self.state(s)),
            },
            targeted: skill.targeted,
            team: self.team(skill),
            kill: skill.kill,
            spoken: skill.spoken,
            excludes: skill.excludes.iter().map(|s| self.skill_name(s)).collect(),
            order: u16::from(small(place)),
            help: skill.help.clone(),
            code,
        }
    }

    fn who(&mut self, who: &WhoFile) -> Who {
        Who {
            faction: self.faction(&who.faction),
            class: who.class.as_ref().map(|c| self.class(c)),
            role: who.role.as_ref().map(|r| self.role(r)),
        }
    }

    fn cond(&mut self, cond: &CondFile, rule: &Range<usize>) -> Cond {
        let mut found: Vec<Cond> = Vec::new();
        if let Some(all) = &cond.all {
            found.push(Cond::All(all.iter().map(|c| self.cond(c, rule)).collect()));
        }
        if let Some(any) = &cond.any {
            found.push(Cond::Any(any.iter().map(|c| self.cond(c, rule)).collect()));
        }
        if let Some(out) = &cond.out {
            found.push(Cond::AllOut(self.who(out)));
        }
        if let Some(who) = &cond.in_play {
            found.push(Cond::InPlay(self.who(who)));
        }
        if let Some(lost) = &cond.lost {
            found.push(Cond::Lost(self.faction(lost)));
        }
        if let Some([a, b]) = &cond.at_least {
            found.push(Cond::AtLeast(self.who(a), self.who(b)));
        }
        if let Some(quiet) = &cond.quiet_days {
            found.push(Cond::QuietDays {
                days: quiet.days,
                since: self.faction(&quiet.since),
            });
        }
        if let Some(not) = &cond.not {
            found.push(Cond::Not(Box::new(self.cond(not, rule))));
        }
        if let Some(faction) = &cond.last_left {
            found.push(Cond::LastLeft(self.faction(faction)));
        }
        if let Some(have) = &cond.all_have {
            found.push(Cond::AllHave {
                state: self.state(&have.state),
                but: self.faction(&have.but),
            });
        }
        if let Some(day) = cond.vote_of {
            found.push(Cond::VoteOf(day));
        }
        if cond.quiet_vote == Some(true) {
            found.push(Cond::QuietVote);
        }
        if let Some(voted) = &cond.voted_out {
            found.push(Cond::VotedOut {
                faction: self.faction(&voted.faction),
                card: self.role(&voted.card),
                day: voted.day,
            });
        }
        if let Some(marks) = &cond.marks {
            found.push(Cond::Marks {
                faction: self.faction(&marks.faction),
                skill: self.skill_name(&marks.skill),
                at_least: marks.at_least,
            });
        }
        if found.len() != 1 {
            let message = "each condition of this win rule takes exactly one of: all, any, not, out, in_play, lost, last_left, at_least, all_have, vote_of, quiet_vote, quiet_days, voted_out, marks";
            self.problems.add(rule.clone(), message);
        }
        found.pop().unwrap_or(Cond::Any(Vec::new()))
    }

    /// Factions that are dealt apart must fit the roles that have none of their own.
    fn check_shares(&mut self, board: &Board, file: &BoardFile) {
        let apart = |role: &&Role| role.faction.is_none();
        let roles: usize = board
            .roles
            .iter()
            .filter(apart)
            .map(|r| usize::from(r.count))
            .sum();
        let seats: usize = board.deal.shares.iter().map(|s| usize::from(s.seats)).sum();
        if roles != seats {
            let role = file.role.iter().find(|r| r.faction.is_none());
            let place = file.deal.share.first().map(|s| s.faction.span());
            let place = place.or(role.map(|r| r.name.span())).unwrap_or(0..0);
            let message = format!(
                "{roles} cards have no faction of their own and the shares have {seats} seats: they must be as many"
            );
            self.problems.add(place, message);
        }
        for (share, def) in file.deal.share.iter().zip(&board.deal.shares) {
            let least: usize = def.least.iter().map(|(_, n)| usize::from(*n)).sum();
            if least > usize::from(def.seats) {
                let message = format!("{least} cards must be dealt into {} seats", def.seats);
                self.problems.add(share.faction.span(), message);
            }
            for role in share.least.keys() {
                let Ok(id) = board.role(role.get_ref()) else {
                    continue;
                };
                let wanted: usize = board
                    .deal
                    .shares
                    .iter()
                    .flat_map(|s| &s.least)
                    .filter(|(r, _)| *r == id)
                    .map(|(_, n)| usize::from(*n))
                    .sum();
                let def = board.role_def(id);
                if def.faction.is_some() {
                    let message = format!("{} has a faction of its own", def.name);
                    self.problems.add(role.span(), message);
                } else if wanted > usize::from(def.count) {
                    let message = format!(
                        "the shares take {wanted} of {} at least, the deal has {}",
                        def.name, def.count
                    );
                    self.problems.add(role.span(), message);
                }
            }
        }
    }

    /// A deal that cannot be dealt, a state that stops but is never asked.
    fn check_deal(&mut self, board: &Board, file: &BoardFile) {
        let seats = board.seat_count();
        if seats == 0 || seats > SeatSet::CAPACITY {
            let message = format!(
                "the deal has {seats} seats; it must have 1 to {}",
                SeatSet::CAPACITY
            );
            self.problems.add(file.id.span(), message);
        }
        for size in &file.deal.size {
            let wanted = usize::from(*size.seats.get_ref());
            let cards = board.cards(wanted).len();
            let down = usize::from(file.deal.face_down);
            if wanted + down != cards {
                let message =
                    format!("{cards} cards do not fit {wanted} seats and {down} face down");
                self.problems.add(size.seats.span(), message);
            }
        }
        self.check_shares(board, file);
        for (state, def) in file.state.iter().zip(&board.states) {
            let id = board.state(&def.name).ok();
            let asked = id.is_some_and(|id| board.preventions.contains(&id));
            if !state.stops.is_empty() && !asked {
                let message = format!(
                    "{} stops harm but is not in settlement.preventions",
                    def.name
                );
                self.problems.add(state.name.span(), message);
            }
        }
        let dealt: Vec<RoleId> = (0..board.roles.len()).map(|i| RoleId(small(i))).collect();
        for (win, rule) in file.win.iter().zip(&board.wins) {
            let held = dealt
                .iter()
                .any(|r| board.role_def(*r).faction == Some(rule.faction))
                || board.deal.shares.iter().any(|s| s.faction == rule.faction);
            // A skill that names the faction may turn seats to it.
            let names_it = |v: &Spanned<Value>| v.get_ref().as_str() == Some(win.faction.get_ref());
            let turned_to = file.skill.iter().any(|s| s.with.values().any(names_it));
            if !held && !turned_to {
                let message = format!(
                    "no role is dealt into {}, and no skill turns a seat to it: this rule can never hold",
                    win.faction.get_ref()
                );
                self.problems.add(win.faction.span(), message);
            }
        }
    }
}

fn small(place: usize) -> u8 {
    u8::try_from(place).unwrap_or(u8::MAX)
}

/// Votes as hundredths of a vote; at most a thousand votes either way.
#[expect(clippy::cast_possible_truncation, reason = "bounded before")]
fn hundredths(votes: f64) -> i32 {
    (votes * 100.0).round().clamp(-100_000.0, 100_000.0) as i32
}

fn time_of_day(text: &str) -> Option<u16> {
    let (hours, minutes) = text.split_once(':')?;
    let (hours, minutes): (u16, u16) = (hours.parse().ok()?, minutes.parse().ok()?);
    (hours < 24 && minutes < 60).then_some(hours * 60 + minutes)
}

fn param(value: &Value) -> Option<Param> {
    match value {
        Value::Boolean(flag) => Some(Param::Flag(*flag)),
        Value::Integer(number) => Some(Param::Number(*number)),
        Value::String(text) => Some(Param::Text(text.clone())),
        Value::Array(items) => {
            let texts = items
                .iter()
                .map(|v| v.as_str().map(str::to_owned))
                .collect::<Option<_>>()?;
            Some(Param::List(texts))
        }
        _ => None,
    }
}
