//! Skills that exist only here, on boards made for them: they show that the engine carries the
//! hard skills of boards still to come (engine.md, "What the texts demand of it").

mod board;
mod flow;
mod knowledge;
mod redirects;
mod settlement;
mod skills;
mod windows;
