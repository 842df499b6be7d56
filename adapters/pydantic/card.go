package pydantic

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolinfo"
)

// maxArgs bounds the arguments that are kept for the texts of a result.
const maxArgs = 16 << 10

// card is a call as the client sees it, until it ends.
type card struct {
	id, name   []byte // as they are written
	agent      []byte // type of the sub-agent that it runs; empty if it runs none
	delegation bool
	guessed    bool // name or type were made up, for want of a better one

	title, info []byte // string bodies: friendly text and summary of the call
	task        []byte
	args        []byte
	meta        []byte // further members of the entry that our own decoder wrote
	look        toolinfo.Info

	announced bool
	ready     bool // the arguments are complete
	hidden    bool // the call of a todo tool, whose plan has a card already
	own       bool // made for a sub-agent that no tool runs
	streamed  bool // parts of the result were written
	stale     bool // they are not the result any more

	acc     transcript // the parts, to repeat them
	emitted transcript // what the sub-agent said
	result  []byte     // how the sub-agent ended
	fault   []byte     // why it failed
}

// transcript is a text that is kept up to a limit.
type transcript struct {
	text []byte
	full bool
}

func (t *transcript) add(body []byte) {
	t.full = t.full || len(t.text)+len(body) > maxKept
	if !t.full {
		t.text = append(t.text, body...)
	}
}

// callType and resultType are the types of the card's entries.
func (c *card) callType() string {
	if c.delegation {
		return typeDelegationCall
	}
	return typeCall
}

func (c *card) resultType() string {
	if c.delegation {
		return typeDelegationResult
	}
	return typeResult
}

func (e *encoder) addCard(ev *hub.Event) *card {
	c := &card{id: bytes.Clone(ev.ID), name: bytes.Clone(ev.Name)}
	e.cards.Add(ev.Slot, c)
	c.learn(ev)
	if isDelegation(c.name) {
		c.delegate(agentType(c.name))
	} else if string(ev.Rare().ToolKind) == "agent" {
		c.delegate(c.name)
		c.guessed = true
	}
	return c
}

// delegate makes the card that of a sub-agent. Its name tells the type, as that of every delegation does.
func (c *card) delegate(agent []byte) {
	c.delegation = true
	c.agent = append(c.agent[:0], agent...)
	if !isDelegation(c.name) || c.guessed {
		c.name = append(append(c.name[:0], delegatePrefix...), agent...)
	}
}

// learn keeps what a start or an update says of the call, and reports whether there was something about its kind or where it
// works. What it does not say stays.
func (c *card) learn(ev *hub.Event) (isLook bool) {
	keep(&c.title, ev.Title)
	m := ev.Rare()
	if info := appendBlocks(nil, m.Content); len(info) > 0 {
		c.info = info
	}
	kept := hub.More{Locations: m.Locations}
	if string(m.ToolKind) != "agent" { // that is in the type of the entry
		kept.ToolKind = m.ToolKind
	}
	keep(&c.meta, ev.Meta(metaName))
	return c.look.Learn(&hub.Event{More: &kept})
}

// learnArgs keeps the arguments, and a guess at the type of a sub-agent that they name.
func (c *card) learnArgs(ev *hub.Event) {
	if ev.Value == nil || len(ev.Value) > maxArgs {
		return
	}
	c.args = append(c.args[:0], ev.Value...)
	if !c.guessed || c.announced {
		return
	}
	for _, member := range [...]string{"subagent_type", "agent_type", "agent_name", "agent"} {
		if agent := rawjson.Text(c.args, member); len(agent) > 0 {
			c.delegate(agent)
			return
		}
	}
}

// values are what templates can tell of the call.
func (c *card) values() values {
	return values{tool: rawjson.AppendUnescaped(nil, c.name), agent: rawjson.AppendUnescaped(nil, c.agent), task: c.task, args: c.args}
}

// text renders a friendly text as a string body, which is valid until the next call.
func (e *encoder) text(p phase, v *values) []byte {
	e.plain = p.append(e.plain[:0], v)
	n := len(e.plain)
	e.plain = rawjson.AppendEscaped(e.plain, e.plain[:n:n])
	return e.plain[n:]
}

// appendBlocks appends what the content of a tool says, as the body of a text in markdown.
func appendBlocks(dst []byte, content rawjson.Value) []byte {
	from := len(dst)
	for block := range rawjson.Each(content) {
		mark := len(dst)
		if mark > from {
			dst = append(dst, `\n`...)
		}
		grown := appendBlock(dst, block)
		if len(grown) == len(dst) {
			grown = grown[:mark]
		}
		dst = grown
	}
	return dst
}

func appendBlock(dst []byte, block rawjson.Value) []byte {
	inner := rawjson.Get(block, "content")
	if inner == nil {
		inner = block
	}
	if body, ok := rawjson.Str(rawjson.Get(inner, "text")); ok {
		return append(dst, body...)
	}
	if uri, ok := rawjson.Str(rawjson.Get(inner, "uri")); ok && len(uri) > 0 {
		title := rawjson.Text(inner, "name")
		dst = append(append(append(dst, '['), title...), `](`...)
		return append(append(dst, uri...), ')')
	}
	if text, ok := rawjson.Str(rawjson.Get(block, "newText")); ok {
		path := rawjson.Text(block, "path")
		dst = append(append(dst, path...), "\\n```\\n"...)
		return append(append(dst, text...), "\\n```"...)
	}
	return dst
}
