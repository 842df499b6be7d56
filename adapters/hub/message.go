package hub

import (
	"bytes"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// Message is one entry of a conversation at rest: what a client sends as the history, and what a run leaves behind. Messages
// in a row with one ID are steps of one message.
//
// Strings are bodies (still escaped) and values are raw, as in an [Event].
type Message struct {
	Role  Role
	ID    []byte
	Name  []byte // of the participant
	Parts []Part // in order
	Meta  Meta

	// Joins says that the agent said it before the calls of the message before it had their results: both are one step.
	Joins bool

	// Unread says that it, its parts or calls have members that the model has no place for. KeptBy is the dialect whose notes have them
	// all; "" for none. The request that brings the message counts that, and what is remembered does not have it.
	Unread bool
	KeptBy string
}

// Role says whose message it is.
type Role uint8

// Roles.
const (
	RoleNone Role = iota
	RoleSystem
	RoleUser
	RoleAgent
	RoleResults // results of calls that stand in no message before it

	roleCount
)

// Part is one piece of a message.
type Part struct {
	Kind PartKind
	ID   []byte // of the call, of the reasoning item, of the data …
	Name []byte // tool of a call, name of data
	Text []byte // of a text; arguments of a call that are no JSON; quote of a source, description of a file
	// Value is what the arguments of a call are, the value of data, or a part that only its own dialect knows.
	Value []byte
	Title []byte // of a source or file, for people
	Sig   []byte // signature of the part, or the encrypted form of reasoning; its provider wants it back unchanged
	File  *FileRef
	Meta  Meta

	// Of calls.
	ClientRuns bool // the client, not the agent, runs the call
	Dynamic    bool // the client keeps it as a call of a tool that it does not declare
	Result     *CallResult
	Approval   *Approval
}

// PartKind says what a part is.
type PartKind uint8

// Kinds of parts.
const (
	PartNone PartKind = iota
	PartText
	PartReasoning
	PartRefusal
	PartCall
	PartFile
	PartSource
	PartData
	PartRaw // a part without a kind: Value as it came, Meta.Dialect knows it

	partKindCount
)

// Source is the event of a part that is a source, for what writes citations of events.
func (p *Part) Source() Event {
	ev := Event{Kind: Source, ID: p.ID, Title: p.Title, Text: p.Text, Value: p.Value, More: new(More)}
	if p.File != nil {
		ev.More.File = *p.File
	}
	return ev
}

// CallResult is what came of a call.
type CallResult struct {
	ID      []byte // of its own message, where it has one
	Status  Status // OK, Error or Denied
	Text    []byte
	Value   []byte
	Content []byte // raw array of content blocks, as in [More]
	Err     []byte // why it failed
	Last    bool   `json:"-"` // of a request: the agent has said nothing behind it
}

// Event is the end of a call with this result, for what reads results of events. Where both a text and a reason are there, the text says
// the reason, too: most dialects have no place for two.
func (r *CallResult) Event() Event {
	ev := Event{
		Kind: ToolEnd, Status: r.Status, Text: r.Text, Value: r.Value, More: &More{Content: r.Content, Err: r.Err},
	}
	if len(r.Text) > 0 && len(r.Err) > 0 && !bytes.Contains(r.Text, r.Err) {
		ev.Text = slices.Concat(r.Text, []byte(`\n`), r.Err)
	}
	return ev
}

// Approval is the question whether a call may run, and its answer.
type Approval struct {
	ID, Sig  []byte // as the agent gave them
	Decided  bool
	Approved bool
	Reason   []byte
}

// Meta is what the origin notes about a message or a part: a raw object that only its own dialect understands.
type Meta struct {
	Dialect string
	Raw     rawjson.Value
}

// Of is the note if it is of the dialect, nil if not.
func (m *Meta) Of(dialect string) rawjson.Value {
	if m.Dialect != dialect {
		return nil
	}
	return m.Raw
}

// A Messenger translates the messages of a dialect. It runs once per turn, so clarity wins over speed.
type Messenger interface {
	// DecodeMessages appends the messages of a list. Slices in them point into v.
	DecodeMessages(dst []Message, v rawjson.Value) ([]Message, error)

	// AppendMessages appends them as a list. What the dialect has no place for is a loss.
	AppendMessages(dst []byte, ms []Message, l *Losses) []byte
}

var (
	roleNames     = [roleCount]string{"", "system", "user", "agent", "results"}
	partKindNames = [partKindCount]string{"none", "text", "reasoning", "refusal", "call", "file", "source", "data", "raw"}
)

func (r Role) String() string     { return name(roleNames[:], int(r)) }
func (k PartKind) String() string { return name(partKindNames[:], int(k)) }
