package hub

import "github.com/sabir-proxy/sabir/adapters/internal/rawjson"

// A Driver speaks with one agent that keeps a session and is reached by lines in both directions, such as a child process. One turn
// runs at a time. A Driver does no I/O: whoever moves the lines asks it what to send.
type Driver interface {
	// Turn appends the lines that ask for a turn, as far as they can be sent now; [Driver.Receive] appends the others, such as those
	// that follow an answer to a greeting. While the agent waits, the answers of req go to its questions, and the turn goes on; if
	// the user says something else in place of them, the questions are refused, and a new turn begins: lines that are still of the
	// one before are hidden. TurnWaits says that questions are left which req does not answer. The error is an *[Error] that says
	// why the turn cannot be asked for; nothing has changed then. What the agent has no place for is a loss.
	//
	// req is valid during the call.
	Turn(dst []byte, req *Request, l *Losses) ([]byte, TurnState, error)

	// Receive takes every line of the agent, in order. It appends the lines that are to be sent at once, and says what the line is
	// to the turn.
	Receive(dst, line []byte) ([]byte, Received)

	// Cancel appends the lines that end the turn, with refusals of what the agent waits for. The turn is over when a line says so,
	// which may be a hidden one, if the agent has not got as far as the turn. Without a turn it appends nothing.
	Cancel(dst []byte) []byte
}

// Received is what a line of an agent is to its turn.
type Received struct {
	Hidden  bool // it belongs to no turn, such as the answer to a greeting: the decoder does not get it
	Turn    TurnState
	Session []byte   // string body: the session, in the line by which the agent names it; valid until the next call
	Lost    []string // of the turn: the agent has no place for it, as it turns out only now
	Failure *Failure // the turn cannot be held, and the agent is of no more use
}

// Passes reports whether the line is shown, and says nothing else.
func (r *Received) Passes() bool {
	return !r.Hidden && r.Turn == TurnRuns && len(r.Session)+len(r.Lost) == 0 && r.Failure == nil
}

// TurnState is how far a turn is after a line.
type TurnState uint8

// States of a turn.
const (
	TurnRuns  TurnState = iota
	TurnWaits           // for answers to all questions that are open
	TurnOver            // the line was its last, or there is none
)

// A Session is what a [Driver] is made for.
type Session struct {
	ID      []byte  // string body: the session to go on with, as the agent named it; nil: a new one
	Dir     string  // absolute path of the directory that the agent works in
	Model   []byte  // string body: the model that is asked for; nil: the agent's own choice
	Options Options // of the upstream
}

// Flags are the option by which a program goes on with a session, and --model, for what is set. What clients name stands behind the sign
// of equality: alone, it might be taken for an option.
func (s *Session) Flags(resume string) (args []string) {
	if len(s.ID) > 0 {
		args = append(args, resume+"="+string(rawjson.AppendUnescaped(nil, s.ID)))
	}
	if len(s.Model) > 0 {
		args = append(args, "--model="+string(rawjson.AppendUnescaped(nil, s.Model)))
	}
	return args
}

// Processes is how agents of a dialect run as child processes.
type Processes struct {
	// NewDriver makes what speaks with a new process.
	NewDriver func(*Session) Driver

	// History says that a driver without a session to go on with tells its agent what was said before, where the first request has it.
	// Others get it as a text in front of the user's words.
	History bool

	// OneTurn says that a process holds one turn. What [Driver.Turn] appends is its whole input, and need not be lines; the turn is
	// cancelled by the signal that a terminal sends for it, and the next one goes on with the session in another process.
	OneTurn bool

	// ExitEnds says that no line ends a turn that goes well: the process does, with status 0. Any other end is a failure, unless a line
	// was [TurnOver]. Whether the lines were complete is for the decoder to say, when they end. It needs OneTurn.
	ExitEnds bool

	// Arguments are those that stand behind the command of the configuration; nil: none. They may name the session to go on with.
	Arguments func(*Session) []string

	// Headers says that messages have a header with their length in front, in both directions, as in the base protocol of language servers. The
	// driver has them as lines.
	Headers bool

	// Programs are agents that are known to speak the dialect.
	Programs []Program
}
