//! The facts that each kind of notice may depend on, and what they are in a game.

use rules::board::Harm;
use rules::{Act, Audience, Game, SeatId, SeatSet};

use super::side::Event;

/// Something that a notice may depend on. "Before" and "after" are the game before and after
/// the input that brought the notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fact {
    /// The input, whoever sent it, and whether it was taken.
    Act,
    /// The input, when the reader sent it.
    OwnAct,
    /// Phase, window and its end as people are told it.
    Window,
    /// The reader's card and the faction it was dealt into.
    OwnCard,
    /// The skills of the reader, with uses.
    OwnSkills,
    /// States on the reader that are told.
    OwnStates,
    /// What is open to the reader.
    Open,
    /// The reactions that the reader is asked for.
    Asked,
    /// Whether and how the reader went out, and whether it knows.
    Out,
    /// Messages of the reader, or of its team, that wait.
    Messages,
    /// Messages of this group's skills that wait.
    TeamMessages,
    /// Who belongs to the reader's groups, or to the group that reads it.
    Members,
    /// The factions of the seats that the reader has chosen.
    ChosenFactions,
    /// The states of those seats.
    ChosenStates,
    /// The cards that lie face down.
    FaceDown,
    /// Whom the reader is tied to.
    Partner,
    /// Who was dealt into which faction.
    DealtFactions,
    /// On whom harm was held back, who is out since when, and how many hold which skill.
    Spent,
    /// What is on its way to the reader, and what lies on it.
    OnMe,
    /// What lies on the seats that the input names, and whether they are in play.
    OnTargets,
    /// The card of whoever sent the input.
    SendersCard,
    /// The classes that those seats show.
    ChosenClasses,
    /// Who is out, with their factions.
    OutFactions,
    /// Who was struck tonight.
    Struck,
    /// Is the reader in play?
    InPlay,
    /// Messages that limit another skill's choice.
    Bait,
    /// Is somebody of the group in play?
    PackStands,
    /// The closed book, weights, tags, and who could vote.
    Ballots,
    /// What protects from the vote.
    VoteGuards,
    /// Who went out in which order, whether by vote, and what is published of it.
    Lists,
    /// Who has the badge.
    Badge,
    /// What waits for the door.
    Door,
    /// Whom a shot has taken along.
    Shots,
    /// Last words that wait.
    LastWords,
    /// The director's cards.
    Tags,
    /// Surrenders that were moved, with who has agreed and who is still asked.
    Surrenders,
    /// How the game ended.
    Ending,
    /// Everybody's card and faction.
    Cards,
    /// Who is out, with their cards.
    OutCards,
    /// Who is in play, with their cards.
    StandingCards,
    /// How many seats of each faction are in play.
    FactionCounts,
    /// The cards of the seats that the input names.
    NamedCards,
    /// The cards of the seats that the reader has chosen.
    ChosenCards,
    /// The uses of the skills that those seats hold.
    ChosenUses,
    /// The uses of the skills of those who are out.
    OutUses,
    /// The reader's faction.
    OwnFaction,
    /// Whom the reader's skills have ever chosen, and the marks on it.
    OwnMemory,
    /// Who is tied to whom.
    Ties,
    /// Those dealt into the reader's faction.
    DealtAlike,
    /// States without an end that nobody is told of.
    Lasting,
    /// Who has blown itself up: everybody sees it.
    Blasts,
    /// Who would go out if what waits were settled.
    WouldGoOut,
}

/// What a kind of notice may depend on; `None`: a kind that nobody has declared.
pub(crate) fn declares(key: &str) -> Option<&'static [Fact]> {
    use Fact::*;
    Some(match key {
        "card" => &[OwnCard],
        "group/mates" | "group/joined" => &[Members],
        "window/open" => &[Window],
        "prompt/open" => &[Window, Open, Out, OwnSkills],
        "prompt/reaction" => &[Window, Asked, Out, OwnSkills],
        "receipt/used" => &[OwnAct, Messages],
        "receipt/declined" => &[OwnAct, Messages, Open],
        "receipt/last-words" => &[OwnAct, LastWords],
        "team/chose" | "team/declined" => &[Act, TeamMessages],
        "team/dropped" => &[Act, TeamMessages, Tags],
        "state/laid" | "state/lapsed" => &[OwnStates],
        "check/answer" => &[
            Window,
            OwnAct,
            NamedCards,
            Messages,
            ChosenFactions,
            ChosenClasses,
            ChosenStates,
        ],
        "face-down/cards" => &[Window, OwnSkills, FaceDown],
        "couple/partner" => &[Partner],
        "acquaint/answer" => &[Window, OwnSkills, DealtFactions],
        "dream/guarded" => &[Window, OwnSkills, Spent, InPlay],
        "shot/tonight" => &[Window, OwnSkills, OnMe, InPlay],
        "shot/void" => &[Act, OnTargets],
        "card/turned" => &[Act, SendersCard, Door],
        "survey/answer" => &[Window, OwnSkills, OutFactions, InPlay],
        "insight/answer" => &[Window, OwnSkills, Struck, InPlay, OnMe],
        "skill/lost" | "skill/got" => &[Act, OwnSkills],
        "mode/got" => &[Window, Messages, OwnSkills],
        "decoy/bound" => &[Act, TeamMessages, PackStands],
        "decoy/free" => &[Act, Bait, PackStands, Tags],
        "vote/result" | "election/result" => &[Ballots],
        "election/night" => &[Act, Lists],
        "blast/public" => &[Act, SendersCard],
        "duel/public" => &[Act, NamedCards],
        "out/cards" => &[Act, Lists, OutCards],
        "vote/guarded" | "platform/held" => &[Ballots, VoteGuards, Door],
        "sheriff/you" => &[Badge],
        "sheriff/passed" => &[Act, Badge, Door],
        "sheriff/gone" => &[Badge, Door],
        "door/list" => &[Window, Lists, Badge],
        "dusk/list" | "end/list" => &[Lists],
        "out/you" => &[Out, Blasts],
        "last-words" => &[LastWords],
        "shot/public" => &[Shots, Door],
        "game/over" => &[Ending],
        "game/reveal" => &[Ending, Cards],
        "surrender/agreed" | "surrender/taken" | "surrender/done" => &[Act, Surrenders],
        "day/sped-up" | "day/extended" | "day/paused" | "day/resumed" | "rewound" => &[Act, Window],
        "penalty/you" | "penalty/public" | "director/idle" => &[Act, Tags],
        "director/two-red-cards" => &[Act, Tags, Cards],
        "faction/turned" => &[Act, Window, OwnFaction],
        "director/says" | "director/tells" | "back/you" | "election/candidacy"
        | "election/put-off" => &[Act],
        "back/public" => &[Act, Door],
        "trial/answer" => &[Window, Messages, ChosenCards],
        "guess/answer" => &[Window, Messages, ChosenUses],
        "mates/list" => &[Window, OwnSkills, DealtAlike],
        "counsel/list" => &[Act, OwnSkills, InPlay],
        "pipe/list" => &[Window, Messages, OwnSkills, Lasting],
        "spare/list" => &[Window, OwnSkills, InPlay, WouldGoOut],
        "platform/list" => &[VoteGuards, Door],
        "barrier/stands" | "barrier/broken" => &[Act, Window, OutCards, Door],
        "marks/got" => &[OutCards, OwnSkills, OwnMemory, InPlay],
        "barter/counts" => &[OwnAct, FactionCounts],
        "enemy/out" => &[OutCards, Door],
        "enemy/reward" => &[OutCards, OwnSkills],
        "hand-over/heirs" => &[Out, OwnSkills, StandingCards],
        "inherit/got" => &[OutCards, OwnSkills, OwnMemory],
        "inherit/uses" => &[OutCards, OutUses, OwnSkills],
        "bond/drawn" | "bond/ring" => &[Window, Messages, OwnSkills, OwnMemory, OwnFaction],
        "bond/possessed" => &[OutCards, Ties, Door],
        "will/card" => &[Act, NamedCards, Door],
        _ => return None,
    })
}

/// What the fact is, for a notice to this audience.
pub(crate) fn value(fact: Fact, event: &Event, to: Audience) -> String {
    let (before, after) = (&event.before, &event.after);
    let both = |of: &dyn Fn(&Game) -> String| format!("{} | {}", of(before), of(after));
    let seat = match to {
        Audience::Seat(seat) => Some(seat),
        _ => None,
    };
    let own = |of: &dyn Fn(&Game, SeatId) -> String| {
        seat.map_or_else(String::new, |s| both(&|g| of(g, s)))
    };
    match fact {
        Fact::Act => format!("{:?} {}", event.act, event.taken),
        Fact::OwnAct => {
            let mine = seat.is_some() && sender(&event.act) == seat;
            format!("{:?}", mine.then_some((&event.act, event.taken)))
        }
        Fact::Window => both(&|g| {
            format!(
                "{:?}",
                (
                    g.turn(),
                    g.phase(),
                    g.window(),
                    g.window_ends(),
                    g.ending().is_some()
                )
            )
        }),
        Fact::OwnCard => own(&|g, s| format!("{:?}", g.seat(s).map(|x| (x.card, x.dealt)))),
        Fact::OwnSkills => own(&|g, s| {
            let mine = g.seat(s).map(|x| x.holdings.iter());
            let mine = mine.into_iter().flatten();
            format!("{:?}", mine.map(|h| (h.skill, h.left)).collect::<Vec<_>>())
        }),
        Fact::OwnStates => own(&|g, s| {
            let told = g.world().states.iter();
            let told = told.filter(|r| r.seat == s && r.told);
            format!("{:?}", told.map(|r| r.state).collect::<Vec<_>>())
        }),
        Fact::Open => own(&|g, s| {
            let open = g.open_skills(s);
            format!("{:?}", open.iter().map(|h| h.skill).collect::<Vec<_>>())
        }),
        Fact::Asked => own(&|g, s| {
            let asked = g.world().reactions.iter().filter(|r| r.seat == s);
            format!(
                "{:?}",
                asked.map(|r| (r.skill, r.until)).collect::<Vec<_>>()
            )
        }),
        Fact::Out => own(&|g, s| {
            let me = g.seat(s);
            let out = me
                .and_then(|x| x.out)
                .map(|c| (c.harm == Harm::SentOff, c.phase));
            format!("{out:?} {:?} {:?}", me.map(|x| x.knows_out), g.phase())
        }),
        Fact::Messages => own(&|g, s| {
            let mine = g.world().intents.iter().filter(|i| {
                let team = g.team_of(i.seat, i.skill);
                i.seat == s || team.is_some_and(|t| g.group_members(t).has(s))
            });
            let mine = mine.map(|i| (i.seat, i.skill, &i.targets, &i.words));
            format!("{:?}", mine.collect::<Vec<_>>())
        }),
        Fact::TeamMessages => both(&|g| {
            let team = |i: &rules::world::Intent| g.team_of(i.seat, i.skill);
            let theirs = g.world().intents.iter();
            let theirs = theirs.filter(|i| team(i).is_some_and(|t| to == Audience::Group(t)));
            let theirs = theirs.map(|i| (i.seat, i.skill, &i.targets));
            format!("{:?}", theirs.collect::<Vec<_>>())
        }),
        Fact::Blasts => both(&|g| {
            let outs = g.outs().iter();
            let blasts = outs.filter(|o| o.cause.harm == rules::board::Harm::Blast);
            format!("{:?}", blasts.map(|o| o.seat).collect::<Vec<_>>())
        }),
        // Of a group that the reader joins by this input, those who were in it before, too.
        Fact::Members => both(&|g| {
            let mine = g.groups().into_iter();
            let mine = mine.filter(|(group, members)| {
                let joined = seat.is_some_and(|s| after.group_members(*group).has(s));
                to == Audience::Group(*group) || joined || seat.is_some_and(|s| members.has(s))
            });
            format!("{:?}", mine.collect::<Vec<_>>())
        }),
        Fact::ChosenFactions => {
            let chosen = chosen(before, seat);
            let of = |s: SeatId| before.seat(s).map(|x| x.faction);
            format!("{:?}", chosen.map(|s| (s, of(s))).collect::<Vec<_>>())
        }
        Fact::ChosenStates => {
            let chosen = chosen(before, seat);
            let on = chosen.map(|s| (s, states_on(before, s)));
            format!("{:?}", on.collect::<Vec<_>>())
        }
        Fact::FaceDown => both(&|g| format!("{:?}", g.world().face_down)),
        Fact::Partner => own(&|g, s| {
            let mine = g.world().states.iter().filter(|r| r.seat == s);
            format!("{:?}", mine.filter_map(|r| r.partner).collect::<Vec<_>>())
        }),
        Fact::DealtFactions => both(&|g| {
            let dealt = g.world().seats.iter().map(|s| s.dealt);
            format!("{:?}", dealt.collect::<Vec<_>>())
        }),
        Fact::Spent => both(&|g| {
            let back = |r: &&rules::world::StateRecord| g.board().state_def(r.state).holds_back;
            let spent = g.world().states.iter().filter(back).map(|r| r.seat);
            let out = g.world().seats.iter().map(|s| s.out.map(|c| c.phase));
            let holders = (0..g.board().skills.len()).map(rules::SkillId::at);
            let holders = holders.map(|k| g.all().filter(|s| g.held(*s, k).is_some()).count());
            format!(
                "{:?} {:?} {:?}",
                spent.collect::<Vec<_>>(),
                out.collect::<Vec<_>>(),
                holders.collect::<Vec<_>>()
            )
        }),
        Fact::OnMe => own(&|g, s| {
            let hits = g.world().hits.iter().filter(|h| h.target == s);
            let hits = hits.map(|h| (h.skill, h.harm)).collect::<Vec<_>>();
            format!("{hits:?} {:?}", states_on(g, s))
        }),
        Fact::OnTargets => {
            let Act::Use { words, .. } = &event.act else {
                return String::new();
            };
            let seats = words.iter().filter_map(|w| match w {
                rules::Word::Seat(s) => Some(*s),
                _ => None,
            });
            let on = seats.map(|s| (s, states_on(before, s), before.stands(s)));
            format!("{:?}", on.collect::<Vec<_>>())
        }
        Fact::SendersCard => {
            let card = sender(&event.act).and_then(|s| before.seat(s));
            format!("{:?}", card.map(|s| s.role))
        }
        Fact::ChosenClasses => {
            let class = |s| before.board().role_def(before.face_role(s)).class;
            let chosen = chosen(before, seat);
            format!("{:?}", chosen.map(|s| (s, class(s))).collect::<Vec<_>>())
        }
        Fact::OutFactions => {
            let out = after.all().filter(|s| !after.stands(*s));
            let of = |s: SeatId| after.seat(s).map(|x| x.faction);
            format!("{:?}", out.map(|s| (s, of(s))).collect::<Vec<_>>())
        }
        Fact::Struck => format!("{:?}", after.struck()),
        Fact::InPlay => own(&|g, s| format!("{}", g.stands(s))),
        Fact::Bait => both(&|g| {
            let board = g.board();
            let limits = |i: &rules::world::Intent| {
                let skills = (0..board.skills.len()).map(rules::SkillId::at);
                let code = &board.skill_def(i.skill).code;
                skills.into_iter().any(|s| code.limits(i, s).is_some())
            };
            let baits = g.world().intents.iter().filter(|i| limits(i));
            format!(
                "{:?}",
                baits.map(|i| (i.seat, &i.targets)).collect::<Vec<_>>()
            )
        }),
        Fact::PackStands => both(&|g| {
            let groups = g.groups().into_iter();
            let this = groups.filter(|(group, _)| to == Audience::Group(*group));
            let stands = this.map(|(_, members)| members.iter().any(|s| g.stands(s)));
            format!("{:?}", stands.collect::<Vec<_>>())
        }),
        Fact::Ballots => {
            let weights: Vec<i32> = before.all().map(|s| before.vote_weight(s)).collect();
            let barred: Vec<bool> = before.world().seats.iter().map(|s| s.barred).collect();
            let books = &before.world().books;
            let void = before.void_ballots();
            format!(
                "{:?} {} {books:?} {weights:?} {barred:?} {:?} {void:?}",
                event.act,
                event.taken,
                before.world().announced
            )
        }
        Fact::VoteGuards => both(&|g| {
            let stops =
                |r: &&rules::world::StateRecord| g.board().state_def(r.state).stops.has(Harm::Vote);
            let guards = g.world().states.iter().filter(stops);
            format!(
                "{:?}",
                guards.map(|r| (r.seat, r.state)).collect::<Vec<_>>()
            )
        }),
        Fact::Lists => both(&|g| {
            let outs = g.outs().iter();
            let outs = outs.map(|o| (o.seat, o.cause.harm == Harm::Vote, o.cause.phase));
            format!("{:?} {}", outs.collect::<Vec<_>>(), g.world().published)
        }),
        Fact::Badge => both(&|g| {
            let state = g.board().sheriff.as_ref().map(|s| s.state);
            format!("{:?}", state.map(|s| g.holders_of(s)))
        }),
        Fact::Door => both(&|g| format!("{:?}", g.world().at_door)),
        Fact::Shots => {
            let new = after.outs().iter().filter(|o| before.stands(o.seat));
            let new = new.map(|o| (o.seat, o.cause.by, o.cause.skill));
            format!("{:?} {:?}", event.act, new.collect::<Vec<_>>())
        }
        Fact::LastWords => both(&|g| format!("{:?}", g.world().last_words)),
        Fact::Tags => both(&|g| {
            let tags = g.world().states.iter();
            let tags = tags.filter(|r| g.board().state_def(r.state).card.is_some());
            format!("{:?}", tags.map(|r| (r.seat, r.state)).collect::<Vec<_>>())
        }),
        Fact::Surrenders => both(&|g| {
            let moved = g.world().surrenders.iter();
            let moved = moved.map(|(faction, agreed)| {
                let dealt = |s: &SeatId| g.seat(*s).is_some_and(|x| x.dealt == *faction);
                let asked: rules::SeatSet = g.all().filter(dealt).collect();
                (faction, *agreed, asked)
            });
            format!("{:?}", moved.collect::<Vec<_>>())
        }),
        Fact::Ending => both(&|g| format!("{:?}", g.ending())),
        Fact::OutCards => both(&|g| {
            let out = g.all().filter(|s| !g.stands(*s));
            let of = |s: SeatId| g.seat(s).map(|x| (x.card, x.out));
            format!("{:?}", out.map(|s| (s, of(s))).collect::<Vec<_>>())
        }),
        Fact::StandingCards => both(&|g| {
            let cards = g.in_play().iter().map(|s| (s, g.seat(s).map(|x| x.card)));
            format!("{:?}", cards.collect::<Vec<_>>())
        }),
        Fact::FactionCounts => {
            let of = |f| {
                let mut standing = SeatSet::EMPTY;
                for seat in before.in_play().iter() {
                    if before.seat(seat).map(|x| x.faction) == Some(f) {
                        standing.insert(seat);
                    }
                }
                standing.len()
            };
            let factions = (0..before.board().factions.len()).map(rules::FactionId::at);
            format!("{:?}", factions.map(of).collect::<Vec<_>>())
        }
        Fact::NamedCards => {
            let words = match &event.act {
                Act::Use { words, .. } => words.as_slice(),
                _ => &[],
            };
            let cards = words.iter().filter_map(|w| match w {
                rules::Word::Seat(s) => before.seat(*s).map(|x| (*s, x.role)),
                _ => None,
            });
            format!("{:?}", cards.collect::<Vec<_>>())
        }
        Fact::ChosenCards => {
            let chosen = chosen(before, seat);
            let of = |s: SeatId| before.seat(s).map(|x| x.card);
            format!("{:?}", chosen.map(|s| (s, of(s))).collect::<Vec<_>>())
        }
        Fact::ChosenUses => holdings(after, chosen(before, seat), |s, h| {
            format!("{s} {:?} {:?}", h.skill, h.uses)
        }),
        Fact::OutUses => {
            let out = after.all().filter(|s| !after.stands(*s));
            holdings(after, out, |s, h| format!("{s} {:?} {:?}", h.skill, h.uses))
        }
        Fact::OwnFaction => own(&|g, s| format!("{:?}", g.seat(s).map(|x| x.faction))),
        Fact::OwnMemory => own(&|g, s| {
            let marks = g.world().states.iter().filter(|r| r.seat == s).count();
            let memory = holdings(g, std::iter::once(s), |_, h| {
                format!("{:?} {:?} {}", h.skill, h.uses, h.memory)
            });
            format!("{memory} {marks}")
        }),
        Fact::Ties => both(&|g| {
            holdings(g, g.all(), |seat, h| {
                let held = rules::skill::Held {
                    seat,
                    holding: h.id,
                    skill: h.skill,
                };
                let tie = g.board().skill_def(h.skill).code.bond(g, held);
                format!("{:?}", tie.map(|t| (seat, t)))
            })
        }),
        Fact::DealtAlike => own(&|g, s| {
            let dealt = g.seat(s).map(|x| x.dealt);
            let alike = g.all().filter(|a| g.seat(*a).map(|x| x.dealt) == dealt);
            format!("{:?}", alike.collect::<Vec<_>>())
        }),
        Fact::Lasting => {
            let lasting = |r: &&rules::world::StateRecord| r.until.is_none() && !r.told;
            let records = after.world().states.iter().filter(lasting);
            format!(
                "{:?}",
                records.map(|r| (r.seat, r.state)).collect::<Vec<_>>()
            )
        }
        Fact::WouldGoOut => format!("{:?}", after.would_go_out()),
        Fact::Cards => both(&|g| {
            let cards = g.world().seats.iter().map(|s| (s.card, s.faction));
            format!("{:?}", cards.collect::<Vec<_>>())
        }),
    }
}

/// The holdings of some seats, each with something of it.
fn holdings(
    game: &Game,
    seats: impl Iterator<Item = SeatId>,
    of: impl Fn(SeatId, &rules::world::Holding) -> String,
) -> String {
    let all = seats.flat_map(|s| {
        let mine = game.seat(s).map(|x| x.holdings.iter());
        let mine = mine.into_iter().flatten();
        mine.map(move |h| (s, h))
    });
    all.map(|(s, h)| of(s, h)).collect::<Vec<_>>().join(" ")
}

/// The states that lie on a seat.
fn states_on(game: &Game, seat: SeatId) -> Vec<rules::StateId> {
    let states = game.world().states.iter().filter(|r| r.seat == seat);
    states.map(|r| r.state).collect()
}

/// The seats that the waiting messages of this seat name.
fn chosen(game: &Game, seat: Option<SeatId>) -> impl Iterator<Item = SeatId> {
    let mine = game.world().intents.iter();
    let mine = mine.filter(move |i| Some(i.seat) == seat);
    mine.flat_map(|i| i.targets.iter().copied())
}

fn sender(act: &Act) -> Option<SeatId> {
    match act {
        Act::Use { seat, .. }
        | Act::Decline { seat, .. }
        | Act::LastWords { seat, .. }
        | Act::Candidacy { seat, .. }
        | Act::Surrender { seat }
        | Act::AgreeSurrender { seat } => Some(*seat),
        Act::Clock { .. } | Act::BookClosed { .. } | Act::Petition { .. } | Act::Director(_) => {
            None
        }
    }
}
