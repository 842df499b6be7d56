package anthropic

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/stages"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// stream takes decoded events through sequencer, linear stage and encoder, as the proxy does, and returns what is written.
func stream(enc hub.Encoder, decoded ...hub.Event) string {
	c := newChain(enc)
	c.push(decoded)
	return c.end()
}

// chain is what follows a decoder.
type chain struct {
	seq    *sequencer.Sequencer
	linear *stages.Linear
	enc    hub.Encoder
	out    *wire.Out
}

func newChain(enc hub.Encoder) *chain {
	return &chain{sequencer.New(sequencer.Config{}), stages.NewLinear(0), enc, wire.NewOut(wire.SSE)}
}

func (c *chain) push(decoded []hub.Event) { c.encode(c.seq.Push(nil, decoded, 0)) }

func (c *chain) encode(normalized []hub.Event) {
	normalized = c.linear.Push(nil, normalized, 0)
	for i := range normalized {
		c.enc.Encode(c.out, &normalized[i])
	}
}

func (c *chain) end() string {
	c.encode(c.seq.Flush(nil, nil))
	c.enc.Finish(c.out)
	return string(c.out.Buf)
}

// written encodes a stream with options, and returns the data of its records, one a line.
func written(t *testing.T, options map[string]any, decoded ...hub.Event) string {
	t.Helper()
	return lines(stream(encoderWith(t, options), decoded...))
}

func encoderWith(t *testing.T, options map[string]any) hub.Encoder {
	t.Helper()
	o, problems := Dialect.ParseOptions(options)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return Dialect.NewEncoder(o)
}

// lines are the data of an event stream, without message_start, which most tests say nothing about.
func lines(stream string) string {
	var all []string
	for line := range strings.Lines(stream) {
		data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: ")
		if ok && !strings.Contains(data, `"message_start"`) {
			all = append(all, data)
		}
	}
	return strings.Join(all, "\n")
}

// blockTypes strips what all streams have: only the starts, deltas and stop reasons are left, without their frame.
func blockTypes(stream string) string {
	var all []string
	for line := range strings.Lines(stream) {
		line = strings.TrimSuffix(line, "\n")
		for _, head := range []string{`"content_block":`, `"delta":`, `"error":`} {
			if _, rest, ok := strings.Cut(line, head); ok {
				rest, _, hasUsage := strings.Cut(rest, `,"usage"`)
				if !hasUsage {
					rest = strings.TrimSuffix(rest, "}")
				}
				all = append(all, rest)
				break
			}
		}
	}
	return strings.Join(all, "\n")
}

// again decodes records, each the data of an event, and encodes the events.
func again(t *testing.T, records ...string) string {
	t.Helper()
	dec, c := Dialect.NewDecoder(Dialect.Defaults()), newChain(Dialect.NewEncoder(Dialect.Defaults()))
	for _, r := range records {
		decoded, err := dec.Decode(nil, wire.Record{Data: []byte(r)})
		if err != nil {
			t.Fatalf("%s: %v", r, err)
		}
		c.push(decoded)
	}
	c.push(dec.Finish(nil, nil))
	return lines(c.end())
}

func start() hub.Event { return hub.Event{Kind: hub.RunStart, ID: []byte("run")} }

func end(status hub.Status) hub.Event { return hub.Event{Kind: hub.RunEnd, Status: status} }

func text(id, text string) hub.Event {
	return hub.Event{Kind: hub.TextDelta, ID: []byte(id), Text: []byte(text)}
}

func thought(id, text string) hub.Event {
	return hub.Event{Kind: hub.TextDelta, Chan: hub.Reasoning, ID: []byte(id), Text: []byte(text)}
}

func signed(id, sig string) hub.Event {
	return hub.Event{Kind: hub.TextEnd, Chan: hub.Reasoning, ID: []byte(id), More: &hub.More{Sig: []byte(sig)}}
}

// asked is a call for the client, ran one that was run.
func asked(id, name string) hub.Event {
	return hub.Event{Kind: hub.ToolStart, ID: []byte(id), Name: []byte(name), Flags: hub.ClientRuns}
}

func ran(id, name string) hub.Event {
	return hub.Event{Kind: hub.ToolStart, ID: []byte(id), Name: []byte(name)}
}

func args(id, fragment string) hub.Event {
	return hub.Event{Kind: hub.ToolArgs, ID: []byte(id), Text: []byte(strings.ReplaceAll(fragment, `"`, `\"`))}
}

func ready(id string) hub.Event { return hub.Event{Kind: hub.ToolReady, ID: []byte(id)} }

func result(id, text string) hub.Event {
	return hub.Event{Kind: hub.ToolEnd, ID: []byte(id), Status: hub.StatusOK, Text: []byte(text)}
}
