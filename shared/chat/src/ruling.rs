//! 裁定: the director changes the game by hand; a reason may follow after ｜.

use rules::SeatId;
use rules::input::{Order, Ruling};

use crate::args::Args;
use crate::duration;
use crate::misread::Misread;
use crate::tokens::fold;
use crate::words;

/// Reads what follows 裁定.
pub(crate) fn read(args: &Args<'_>) -> Result<Order, Misread> {
    let (forms, reason) = args
        .rest()
        .split_once(['|', '｜'])
        .unwrap_or((args.rest(), ""));
    let word = fold(Args::new(forms, args.vocabulary(), words::RULING).raw()?);
    let usage = words::RULINGS
        .iter()
        .find(|(known, _)| *known == word)
        .map(|(_, usage)| *usage);
    let mut inner = Args::new(forms, args.vocabulary(), usage.ok_or_else(|| args.usage())?);
    inner.raw()?;
    let ruling = ruling(&word, inner)?;
    Ok(Order::Rule {
        ruling,
        reason: reason.trim().to_owned(),
    })
}

fn ruling(word: &str, mut args: Args<'_>) -> Result<Ruling, Misread> {
    if word == "延窗" {
        return minutes(&args).map(Ruling::ExtendWindow);
    }
    let seat: SeatId = args.seat()?;
    let ruling = match word {
        "出局" => Ruling::PutOut(seat),
        "复活" => Ruling::BringBack(seat),
        "状态" => Ruling::Lay(seat, args.state()?),
        "解除" => Ruling::Lift(seat, args.state()?),
        "给" => Ruling::Give(seat, args.skill()?),
        "收" => Ruling::Take(seat, args.skill()?),
        "阵营" => Ruling::Faction(seat, args.faction()?),
        "表面" => {
            let faction = args.faction()?;
            Ruling::Face(seat, faction, args.role()?)
        }
        "票权" => Ruling::Weight(seat, hundredths(&mut args)?),
        "通知" => return args.text().map(|text| Ruling::Tell(seat, text)),
        _ => return Err(args.usage()),
    };
    args.end(ruling)
}

/// Whole minutes, a part of one counted as one.
fn minutes(args: &Args<'_>) -> Result<u32, Misread> {
    let span = duration::milliseconds(args.rest()).ok_or_else(|| args.usage())?;
    u32::try_from(span.div_ceil(60_000)).map_err(|_| args.usage())
}

/// A weight with at most two decimal places, below 100 votes.
fn hundredths(args: &mut Args<'_>) -> Result<i32, Misread> {
    let text = fold(args.raw()?);
    duration::thousandths(&text)
        .filter(|thousandths| thousandths % 10 == 0 && *thousandths < 100_000)
        .and_then(|thousandths| i32::try_from(thousandths / 10).ok())
        .ok_or_else(|| args.usage())
}
