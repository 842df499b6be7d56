// Package threads remembers conversations for clients that send only what is new, in front of agents that need the whole history:
// those that have a name, and those up to an answer that a client goes on from.
//
//   - threads.go: what a [Store] does. There is one more of it, for replicas that share a Redis server.
//   - log.go: [Log], which holds it in memory, within bounds; what was used longest ago goes first.
//   - node.go: how conversations with one beginning share that. pack.go: the form in which they are held.
package threads

import (
	"errors"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// A Key names a conversation, or an answer. Scope separates routes and clients: what is another's is not found.
type Key struct {
	Scope string
	Kind  Kind
	Name  string
}

// Kind says what a name is for.
type Kind uint8

// Kinds of names.
const (
	Thread  Kind = iota // a conversation that goes on
	Answer              // one up to an answer
	Branch              // where a conversation goes on at an agent that keeps it, as notes alone
	Unnamed             // the same of conversations without a name, by what was said
)

// Store is what remembers.
type Store interface {
	Names
	Notes
	Turns
}

// Notes is what clients note on conversations, and by which they look for them.
type Notes interface {
	// SetMeta replaces what the client notes on a conversation, if that is known. It is a use of it.
	SetMeta(key Key, meta []byte) error

	// Of names the conversations of a scope, the one used last first. It is no use of them.
	Of(scope string) (names []string, err error)

	// Look is [Names.Find], and no use of what it finds.
	Look(Key) (View, error)
}

// Names knows conversations and answers by their names.
type Names interface {
	// Create makes a conversation, unless there is one of that name.
	Create(Key, Seed) error

	// Find finds what has that name, or returns [ErrUnknown].
	Find(Key) (View, error)

	// Forget deletes it. What goes on from an answer stays.
	Forget(Key) error
}

// Turns gives conversations to turns.
type Turns interface {
	// Begin begins a turn, which [Turns.End] ends. The errors are those of this package.
	Begin(*Turn) error

	// End ends a turn with what was said in it. nil is for a turn that is as if it had never been.
	End(*Turn, *Said)
}

// Errors of a [Store]. One that is not in this process has others as well.
var (
	ErrUnknown    = errors.New("the conversation is not known, or not any more")
	ErrBusy       = errors.New("the conversation has a turn that runs")
	ErrUnfinished = errors.New("the answer to go on from has not ended")
	ErrGoesOn     = errors.New("another turn is going on from that answer")
	ErrWentOn     = errors.New("another turn has gone on from that answer")
)

// Seed is what a conversation begins with.
type Seed struct {
	Messages []hub.Message
	Size     int    // about how many bytes they hold
	Meta     []byte // what the client notes about it
}

// View is what is known under a name.
type View struct {
	Messages []hub.Message // without those of a turn that runs
	Busy     bool          // a turn runs, or the answer has not ended
	Begun    time.Time
	Meta     []byte // of a conversation

	// Of an answer.
	Asked hub.Request
	Run   hub.Run
	From  int // its messages begin there

	// Session is [Turn.Session] of a turn that would go on from the answer in its line; "" where there is none: another turn goes on there, or has,
	// or the conversation has a name.
	Session string
}

// Turn is one of an agent.
type Turn struct {
	Thread Key         // the conversation that it belongs to; no name: none
	From   Key         // else the answer that it goes on from; no name: none
	Answer Key         // its own answer; no name: it cannot be continued
	Create bool        // the conversation is made if there is none of that name
	Alone  bool        // no other turn may go on from the same answer
	Asked  hub.Request // what the form of its answer depends on, and what a turn after it inherits

	// What [Turns.Begin] finds.
	Before  []hub.Message
	Size    int         // about how many bytes they hold
	Was     hub.Request // Asked of the answer that it goes on from
	Session string      // names the conversation to agents that keep it; the same for turns that go on from each other in a line

	State any // of the store, between Begin and End
}

// Said is what came of a turn.
type Said struct {
	Messages []hub.Message // of the whole conversation
	From     int           // those that the agent said begin there
	Size     int           // about how many bytes those hold that are new
	Run      hub.Run       // without its messages
}
