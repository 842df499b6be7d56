package copilot

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolinfo"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// call is a tool call that has begun.
type call struct {
	name     []byte
	subAgent []byte // the sub-agent that it was called in
	ready    bool   // its arguments are complete
	shell    bool   // its output comes as shell_output, so that partial results say it again
	intent   bool   // it only reports what the agent is about to do
	denied   bool   // someone refused it
}

// begin appends the start of a call unless it is known already, and returns it.
func (d *decoder) begin(dst []hub.Event, id, name []byte) ([]hub.Event, *call) {
	if c := d.calls[string(id)]; c != nil {
		return dst, c
	}
	if len(d.calls) >= maxKnown {
		clear(d.calls)
	}
	c := &call{name: bytes.Clone(name), subAgent: bytes.Clone(d.at.subAgent), intent: isOneOf(name, d.opt.intentTools)}
	d.calls[string(id)] = c
	if c.intent {
		return dst, c
	}
	dst, ev := d.add(dst, hub.Event{Kind: hub.ToolStart, ID: id, Name: c.name})
	if len(d.at.subAgent) == 0 && d.client.Has(c.name) {
		ev.Flags |= hub.ClientRuns
	}
	return dst, c
}

// complete appends the arguments of a call. A call that reports an intent is shown as what it reports.
func (d *decoder) complete(dst []hub.Event, id []byte, c *call, arguments rawjson.Value) []hub.Event {
	if c.ready {
		return dst
	}
	c.ready = true
	if c.intent {
		return d.reportedIntent(dst, arguments)
	}
	dst, ev := d.add(dst, hub.Event{Kind: hub.ToolReady, ID: id, Name: c.name})
	switch rawjson.Kind(arguments) {
	case 0, 'n':
	case '"': // of a custom tool: any text, which may be JSON
		ev.Text = rawjson.Body(arguments)
		ev.Flags |= hub.Invalid
	default:
		ev.Value = arguments
	}
	return dst
}

// reportedIntent appends what a call reports that the agent is about to do.
func (d *decoder) reportedIntent(dst []hub.Event, arguments rawjson.Value) []hub.Event {
	intent := rawjson.Text(arguments, "intent")
	if len(intent) == 0 {
		return dst
	}
	return d.put(dst, hub.Event{Kind: hub.Notice, Level: hub.LevelIntent, Text: intent})
}

// toolRequests announces the calls that a message asks for. Each starts on its own later.
func (d *decoder) toolRequests(dst []hub.Event, msg []byte) []hub.Event {
	for req := range rawjson.Each(d.at.ev.Data.ToolRequests) {
		id, name := rawjson.Text(req, "toolCallId"), rawjson.Text(req, "name")
		if len(id) == 0 || len(name) == 0 {
			continue
		}
		n := len(dst)
		var c *call
		dst, c = d.begin(dst, id, name)
		dst = d.complete(dst, id, c, rawjson.Get(req, "arguments"))
		for i := n; i < len(dst); i++ {
			dst[i].Msg = msg
			if dst[i].Kind == hub.ToolStart {
				dst[i].Title = rawjson.First(rawjson.Text(req, "intentionSummary"), rawjson.Text(req, "toolTitle"))
			}
		}
	}
	return dst
}

// toolCallDelta reads a fragment of the arguments of a call.
func (d *decoder) toolCallDelta(dst []hub.Event) ([]hub.Event, error) {
	p := &d.at.ev.Data
	id, err := d.need(p.ToolCallID, "toolCallId")
	if err != nil {
		return dst, err
	}
	fragment, err := d.need(p.InputDelta, "inputDelta")
	if err != nil {
		return dst, err
	}
	c := d.calls[string(id)]
	if name := rawjson.Body(p.ToolName); c == nil && len(name) > 0 {
		dst, c = d.begin(dst, id, name)
	}
	if c != nil && c.intent || len(fragment) == 0 {
		return dst, nil
	}
	return d.put(dst, hub.Event{Kind: hub.ToolArgs, ID: id, Text: fragment}), nil
}

// executionStart reads that a call is being run. If it was announced, that is all that is new.
func (d *decoder) executionStart(dst []hub.Event) ([]hub.Event, error) {
	p := &d.at.ev.Data
	id, err := d.need(p.ToolCallID, "toolCallId")
	if err != nil {
		return dst, err
	}
	name := rawjson.Or(p.toolName(), unnamedTool)
	known := d.calls[string(id)]
	n := len(dst)
	dst, c := d.begin(dst, id, name)
	if known != nil && c.ready {
		if c.intent {
			return dst, nil
		}
		dst = d.put(dst, hub.Event{Kind: hub.ToolUpdate, ID: id, Status: hub.StatusRunning})
	} else {
		dst = d.complete(dst, id, c, p.Arguments)
	}
	if len(dst) > n {
		d.keep(&dst[n], "toolCallId", "toolName", "name", "arguments", "parentToolCallId", toolinfo.Key)
		d.look(&dst[n])
	}
	return dst, nil
}

// look reads what our own encoder says of a call, in an event that has nothing else that it is named for.
func (d *decoder) look(ev *hub.Event) {
	if ev.Kind == hub.ToolStart || ev.Kind == hub.ToolUpdate {
		l := toolinfo.Read(d.prop(toolinfo.Key))
		l.Put(ev, &d.scratch)
	}
}

// unnamedTool is the name of a tool without a name, as Caco shows it.
const unnamedTool = "tool"

// externalTool reads a call that the client is to run. The request is passed on for whoever answers it.
func (d *decoder) externalTool(dst []hub.Event) ([]hub.Event, error) {
	n := len(dst)
	dst, err := d.userRequested(dst)
	if err != nil {
		return dst, err
	}
	if len(dst) > n && dst[n].Kind == hub.ToolStart {
		dst[n].Flags |= hub.ClientRuns
		meta := d.beginMeta()
		d.endMeta(&dst[n], appendValue(meta, `"`+propRequestID+`":`, d.at.ev.Data.RequestID), len(meta))
	}
	return d.plain(dst)
}

// propRequestID is the id of a request that someone answers; on a call that the client runs it tells that the request
// is in the stream.
const propRequestID = "requestId"

// userRequested reads a call that the user, not the model, asks for.
func (d *decoder) userRequested(dst []hub.Event) ([]hub.Event, error) {
	p := &d.at.ev.Data
	id, err := d.need(p.ToolCallID, "toolCallId")
	if err != nil {
		return dst, err
	}
	name, err := d.need(p.ToolName, "toolName")
	if err != nil {
		return dst, err
	}
	dst, c := d.begin(dst, id, name)
	return d.complete(dst, id, c, p.Arguments), nil
}

// ofCall reads the id of the call that an event reports on. quiet calls are not shown.
func (d *decoder) ofCall() (id []byte, c *call, quiet bool, err error) {
	id, err = d.need(d.at.ev.Data.ToolCallID, "toolCallId")
	c = d.calls[string(id)]
	return id, c, c != nil && c.intent, err
}

// executionProgress reads a text about the progress of a call. Documents name the member status, the types
// progressMessage.
func (d *decoder) executionProgress(dst []hub.Event) ([]hub.Event, error) {
	id, _, quiet, err := d.ofCall()
	if err != nil || quiet {
		return dst, err
	}
	p := &d.at.ev.Data
	text := rawjson.First(rawjson.Body(p.Progress), rawjson.Body(p.Status))
	dst, ev := d.add(dst, hub.Event{Kind: hub.ToolUpdate, ID: id, Status: hub.StatusRunning, Text: text})
	d.passing(ev)
	return dst, nil
}

// shellOutput reads a piece of what a command writes.
func (d *decoder) shellOutput(dst []hub.Event) ([]hub.Event, error) {
	id, c, quiet, err := d.ofCall()
	if err != nil || quiet {
		return dst, err
	}
	text, err := d.need(d.prop("text"), "text")
	if err != nil {
		return dst, err
	}
	if c != nil {
		c.shell = true
	}
	return d.put(dst, hub.Event{Kind: hub.ToolOutput, ID: id, Chan: hub.Result, Text: text}), nil
}

// partialResult reads a piece of the output of a call. Documents name the member content, the types partialOutput.
func (d *decoder) partialResult(dst []hub.Event) ([]hub.Event, error) {
	id, c, quiet, err := d.ofCall()
	if err != nil || quiet || c != nil && c.shell {
		return dst, err
	}
	p := &d.at.ev.Data
	output := p.Partial
	if output == nil {
		output = p.Content
	}
	if rawjson.IsNull(output) {
		return dst, d.missing("data.partialOutput", output, "want the output")
	}
	dst, ev := d.add(dst, hub.Event{Kind: hub.ToolOutput, ID: id, Chan: hub.Result})
	toolresult.Set(ev, output)
	return dst, nil
}
