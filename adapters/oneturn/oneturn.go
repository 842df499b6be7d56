// Package oneturn asks agents whose process holds one turn: it reads a prompt to the end of its input, and prints what the agent says.
package oneturn

import (
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/settings"
)

// A Driver is a [hub.Driver] for such an agent.
type Driver struct {
	// Read says what a line is to the turn.
	Read func(line []byte) hub.Received

	// Longest is the longest prompt in bytes that the agent takes; 0: any.
	Longest int

	over bool
}

// Turn implements [hub.Driver]. The prompt is what the user says; files have no place in it.
func (d *Driver) Turn(dst []byte, req *hub.Request, l *hub.Losses) ([]byte, hub.TurnState, error) {
	settings.LostAll(req, l)
	prompt, err := conversation.Prompt(req, l)
	if err != nil {
		return dst, hub.TurnOver, err
	}
	from := len(dst)
	out := rawjson.AppendUnescaped(dst, prompt)
	switch said := out[from:]; {
	case conversation.Blank(prompt):
		return dst, hub.TurnOver, conversation.NothingNew()
	case d.Longest > 0 && len(said) > d.Longest:
		return dst, hub.TurnOver, hub.NewError(hub.ReasonTooLarge, "messages", -1, "the agent takes no prompt that is so long")
	}
	return out, hub.TurnRuns, nil
}

// Receive implements [hub.Driver].
func (d *Driver) Receive(dst, line []byte) ([]byte, hub.Received) {
	in := d.Read(line)
	if d.over = d.over || in.Turn == hub.TurnOver; d.over {
		in.Turn = hub.TurnOver
	}
	return dst, in
}

// Cancel implements [hub.Driver]: there is nothing to say to a process that has all of its input.
func (d *Driver) Cancel(dst []byte) []byte { return dst }
