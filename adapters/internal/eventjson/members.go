// Package eventjson holds the members of the canonical event as JSON: their names, what each holds, and where it is in
// [hub.Event]. It writes and reads any selection of them. The native notation is all of them; other dialects carry those
// that they have no member for in an object of Sabir's own.
package eventjson

import (
	"strings"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// Set is a selection of members.
type Set uint64

// Members, in the order in which they are written.
const (
	Kind Set = 1 << iota
	Status
	Chan
	Op
	Level
	Scope
	AskKind

	Flags
	Seq

	SubAgent
	Msg
	ID
	Ref
	Name
	Title
	Text
	Value

	Time
	Meta
	Model
	Sig
	ToolKind
	Locations
	Content
	Percent
	Items
	Options
	Schema
	Expires
	Usage
	File
	Err
	ErrCode

	numMembers = iota
)

// All selects every member.
const All Set = 1<<numMembers - 1

// Display selects what a tool call shows besides its name and arguments.
const Display = Title | ToolKind | Locations | Content

// Question selects what can be answered to an Ask.
const Question = Options | Schema | Expires

// Bits of the first member that is a string or value of the event, and of the first that is in More.
const (
	firstBody = 9
	firstRare = 17
)

// member describes one member of an object.
type member struct {
	head string // what is written before the value: ,"name": and for strings the quote
	kind byte
}

func (m *member) name() string { return m.head[2 : 2+strings.IndexByte(m.head[2:], '"')] }

// Kinds of members besides '[', '{' and '0', which are values of that JSON kind.
const (
	body  = '"' // a string
	value = 'v' // any value, null included
	other = 0   // the rest; see Append and Reader
)

// Heads that are written without the table.
const (
	headKind = `,"kind":"`
	headChan = `,"chan":"`
	headSeq  = `,"seq":`
	headMsg  = `,"msg":"`
	headID   = `,"id":"`
	headText = `,"text":"`
)

var members = [numMembers]member{
	{headKind, body}, {`,"status":"`, body}, {headChan, body}, {`,"op":"`, body}, {`,"level":"`, body},
	{`,"scope":"`, body}, {`,"what":"`, body},
	{`,"flags":`, other}, {headSeq, other},
	{`,"lane":"`, body}, {headMsg, body}, {headID, body}, {`,"ref":"`, body}, {`,"name":"`, body}, {`,"title":"`, body},
	{headText, body}, {`,"value":`, value},
	{`,"time":`, other}, {`,"meta":`, '{'}, {`,"model":"`, body}, {`,"sig":"`, body}, {`,"tool_kind":"`, body}, {`,"locations":`, '['},
	{`,"content":`, '['}, {`,"percent":`, '0'}, {`,"items":`, other}, {`,"options":`, other}, {`,"schema":`, '{'}, {`,"expires":"`, body},
	{`,"usage":`, other}, {`,"file":`, other}, {`,"err":"`, body}, {`,"err_code":"`, body},
}

// bodiesOf are the members from firstBody on, strings and the value of the event.
func bodiesOf(ev *hub.Event) [firstRare - firstBody]*[]byte {
	return [...]*[]byte{&ev.SubAgent, &ev.Msg, &ev.ID, &ev.Ref, &ev.Name, &ev.Title, &ev.Text, &ev.Value}
}

// rareOf are the members of More; nil for those that are no bytes.
func rareOf(m *hub.More) [numMembers - firstRare]*[]byte {
	return [...]*[]byte{
		nil, &m.Meta, &m.Model, &m.Sig, &m.ToolKind, &m.Locations, &m.Content, &m.Percent, nil, nil, &m.Schema, &m.Expires, nil, nil,
		&m.Err, &m.ErrCode,
	}
}

// word is a member with a closed vocabulary; the zero value is absent.
type word struct {
	text func(uint8) string
	set  func(*hub.Event, []byte) bool // false if the name is not known
}

// words are the first members.
var words = [...]word{
	wordOf(parseKind, func(ev *hub.Event) *hub.Kind { return &ev.Kind }),
	wordOf(hub.ParseStatus, func(ev *hub.Event) *hub.Status { return &ev.Status }),
	wordOf(hub.ParseChan, func(ev *hub.Event) *hub.Chan { return &ev.Chan }),
	wordOf(hub.ParseOp, func(ev *hub.Event) *hub.Op { return &ev.Op }),
	wordOf(hub.ParseLevel, func(ev *hub.Event) *hub.Level { return &ev.Level }),
	wordOf(hub.ParseScope, func(ev *hub.Event) *hub.Scope { return &ev.Scope }),
	wordOf(hub.ParseAskKind, func(ev *hub.Event) *hub.AskKind { return &ev.AskKind }),
}

func parseKind(name []byte) (hub.Kind, bool) {
	kind, known := hub.ParseKind(name)
	return kind, known && kind != hub.KindNone
}

func wordOf[T interface {
	~uint8
	String() string
}](parse func([]byte) (T, bool), of func(*hub.Event) *T) word {
	return word{
		text: func(n uint8) string { return T(n).String() },
		set: func(ev *hub.Event, name []byte) bool {
			val, known := parse(name)
			if known {
				*of(ev) = val
			}
			return known
		},
	}
}

// wordsOf are the values of words in ev.
func wordsOf(ev *hub.Event) [len(words)]uint8 {
	return [...]uint8{
		uint8(ev.Kind), uint8(ev.Status), uint8(ev.Chan), uint8(ev.Op), uint8(ev.Level), uint8(ev.Scope), uint8(ev.AskKind),
	}
}

// slots are where the members of a small object are; those it has not are nil.
type slots [5]*[]byte

// Members of an item of a plan.
var itemMembers = []member{{`,"id":"`, body}, {`,"content":"`, body}, {`,"status":"`, body}, {`,"priority":"`, body}}

func itemOf(it *hub.PlanItem) slots { return slots{&it.ID, &it.Content, &it.Status, &it.Priority} }

// Members of an option of a question.
var optionMembers = []member{{`,"id":"`, body}, {`,"name":"`, body}, {`,"kind":"`, body}}

func optionOf(o *hub.AskOption) slots { return slots{&o.ID, &o.Name, &o.Kind} }

// Members of a file.
var fileMembers = []member{{`,"media":"`, body}, {`,"name":"`, body}, {`,"url":"`, body}, {`,"file_id":"`, body}, {`,"base64":"`, body}}

func fileOf(f *hub.FileRef) slots { return slots{&f.Media, &f.Name, &f.URL, &f.FileID, &f.Base64} }

// Members of usage: counts, then what else there is.
var (
	countMembers = []member{
		{`,"in":`, '0'}, {`,"out":`, '0'}, {`,"total":`, '0'}, {`,"cached":`, '0'}, {`,"cache_write":`, '0'},
		{`,"reasoning":`, '0'}, {`,"context_used":`, '0'}, {`,"context_size":`, '0'},
	}
	costMembers = []member{{`,"cost":`, '0'}, {`,"currency":"`, body}, {`,"provider":"`, body}}
)

func countsOf(c *hub.Counts) [8]*int64 {
	return [...]*int64{&c.In, &c.Out, &c.Total, &c.Cached, &c.CacheWrite, &c.ReasoningTokens, &c.ContextUsed, &c.ContextSize}
}

func costOf(c *hub.Counts) slots { return slots{&c.Cost, &c.Currency, &c.Provider} }
