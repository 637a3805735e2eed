//! The engine's figures, each beside its floor: one thread, medians of several runs.

mod games;
mod synthetic;
mod timing;

pub use timing::{Bound, Figure};

/// Measures one figure after another on m158 and hands each on as soon as it is there. Takes
/// some seconds in a release build; means nothing in another.
pub fn figures(mut show: impl FnMut(&Figure)) {
    let Some(board) = boards::find("m158") else {
        return;
    };
    let tapes = games::tapes(&board);
    show(&games::player_acts(&tapes));
    show(&games::all_inputs(&tapes));
    show(&games::whole_games(&tapes));
    show(&games::games_with_their_players(&board));
    show(&games::largest_window(&tapes));
    show(&synthetic::window(&board));
    show(&games::snapshot(&tapes));
    show(&games::snapshot_time(&tapes));
}
