package langgraph

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/opened"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// protocolVersion is what [hub.Request] says of clients that speak the thread protocol; see commands.go.
const protocolVersion = "2"

// protocol writes a run for a client of the thread protocol: as events of a thread, of those channels and namespaces that the client has
// subscribed to. An event has the same number in every subscription: clients put several together by that.
type protocol struct {
	wanted      subscription
	run, unique []byte
	time        int64
	seq, slot   int64 // of the event of the run that is written, and how many numbers of it are given
	graph       []byte

	root    protocolLane
	lanes   opened.Refs[protocolLane]
	parts   opened.List[protocolPart]
	calls   opened.Refs[outCall]
	folder  *conversation.Folder // of what the messages and states are made; nil where neither is wanted
	said    int                  // messages that folder has had when the last one began
	results bool                 // there are results that no state has
	asks    []ask
	state   []byte // what else is in the state, an object
	made    int    // messages of sub-agents without an id of the upstream
	waiting int    // calls for the client
}

// protocolLane is the graph itself, or a sub-graph.
type protocolLane struct {
	namespace []byte // raw: the list of its parts
	parts     []string
	message   protocolMessage
}

// protocolMessage is the message that a lane is in.
type protocolMessage struct {
	id, msg []byte // on the wire, and as the upstream calls it
	role    string
	open    bool
	turn    int // of the messages of its lane
	blocks  int
}

// protocolPart is an open text: one block of a message.
type protocolPart struct {
	lane  *protocolLane
	turn  int
	index int
	text  []byte // of the block, which is said again at its end
	ch    hub.Chan
	head  []byte // of its pieces, behind their number
}

// newProtocol makes what writes the answer to a request.
func newProtocol(req *hub.Request) *protocol {
	p := &protocol{
		wanted: readSubscription(req.Modes), run: append([]byte(nil), rawjson.First(req.Run, req.Unique)...), time: req.Time,
		unique: append([]byte(nil), req.Unique...), seq: firstSeq(req.Time), graph: []byte(defaultGraph),
	}
	p.root.namespace = []byte("[]")
	if p.wanted.channels&(channelMessages|channelValues) != 0 {
		p.folder = conversation.NewFolder(req.Said)
		p.said = len(req.Said)
	}
	return p
}

const (
	// seqPerMillisecond is how many numbers a run has to itself for each millisecond: those of a later run are larger.
	seqPerMillisecond = 4096

	// seqPerEvent is how many of them an event of the run has. What is written for it has always the same, also where some is left out.
	seqPerEvent = 8
)

// firstSeq is in front of the numbers of a run that begins at a time.
func firstSeq(ms int64) int64 { return ms * seqPerMillisecond }

// protocolWriters are the methods of the encoder, by the kind of event that they write.
var protocolWriters = hub.Writers[*protocol]{
	hub.RunStart: (*protocol).runStart, hub.RunEnd: (*protocol).runEnd,
	hub.StepStart: hub.Always[*protocol](hub.Implied), hub.StepEnd: hub.Always[*protocol](hub.Implied),
	hub.AgentStart: (*protocol).agentStart, hub.AgentEnd: (*protocol).agentEnd,
	hub.TextStart: (*protocol).textStart, hub.TextDelta: (*protocol).textDelta, hub.TextEnd: (*protocol).textEnd,
	hub.ToolStart: (*protocol).toolStart, hub.ToolArgs: (*protocol).toolArgs, hub.ToolReady: (*protocol).toolReady,
	hub.ToolOutput: (*protocol).toolOutput, hub.ToolEnd: (*protocol).toolEnd,
	hub.Ask: hub.Silent((*protocol).ask), hub.Answer: hub.Silent((*protocol).answer),
	hub.Usage: (*protocol).usage, hub.File: (*protocol).file, hub.Data: (*protocol).data,
}

// encode implements [hub.Encoder.Encode].
func (p *protocol) encode(out *wire.Out, ev *hub.Event) hub.Disposition {
	p.seq, p.slot = p.seq+seqPerEvent, 0
	if p.folder != nil && ev.Kind != hub.RunEnd {
		p.folder.Add(ev)
	}
	return protocolWriters.Write(p, out, ev)
}

// kept implements [hub.Keeper].
func (p *protocol) kept() (n int) {
	if p.folder != nil {
		n = p.folder.Size()
	}
	for _, part := range p.parts.All {
		n += len(part.text)
	}
	return n
}

// lane returns the lane of a sub-agent in a slot, that of the graph itself if there is none.
func (p *protocol) lane(slot hub.Slot) *protocolLane {
	if l := p.lanes.Find(slot); l != nil {
		return l
	}
	return &p.root
}

// begin starts an event, up to its data; false if the client does not want it. id names it where a number does not.
func (p *protocol) begin(out *wire.Out, ch channel, method string, l *protocolLane, id string) bool {
	seq := p.seq + p.slot
	p.slot++
	if !p.wanted.has(ch, l, seq) {
		return false
	}
	out.Begin(method)
	b := append(out.Buf, `{"type":"event","event_id":"`...)
	if id != "" {
		b = append(append(append(append(b, "synth:"...), p.run...), ':'), id...)
	} else {
		b = strconv.AppendInt(append(append(b, p.unique...), '-'), seq, 10)
	}
	b = strconv.AppendInt(append(b, `","seq":`...), seq, 10)
	b = append(append(append(b, `,"method":"`...), method...), `","params":{"namespace":`...)
	b = strconv.AppendInt(append(append(b, l.namespace...), `,"timestamp":`...), p.time, 10)
	out.Buf = append(b, `,"data":`...)
	return true
}

// end ends an event.
func (p *protocol) end(out *wire.Out) {
	out.Buf = append(out.Buf, "}}"...)
	out.End()
}

// write writes an event whose data is there.
func (p *protocol) write(out *wire.Out, ch channel, method string, l *protocolLane, id string, data []byte) {
	if p.begin(out, ch, method, l, id) {
		out.Buf = append(out.Buf, data...)
		p.end(out)
	}
}

// lifecycle tells how far the graph is, or a sub-graph. Clients know by the name of the event of which run it is.
func (p *protocol) lifecycle(out *wire.Out, l *protocolLane, event string, more []byte) {
	b := append(append(append([]byte(nil), `{"event":"`...), event...), '"')
	b = member.AppendText(b, `,"graph_name":"`, p.graph)
	b = append(append(b, more...), '}')
	where := ""
	for _, part := range l.parts {
		where += string(rawjson.AppendEscaped(nil, []byte(part))) + "|"
	}
	p.write(out, channelLifecycle, "lifecycle", l, "lc|"+where+"|"+event, b)
}

func (p *protocol) runStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	if len(ev.ID) > 0 {
		p.run = append(p.run[:0], ev.ID...)
	}
	p.lifecycle(out, &p.root, "running", nil)
	p.values(out)
	return hub.Native
}

// values writes the state: the conversation so far.
func (p *protocol) values(out *wire.Out) {
	p.results = false
	if !p.begin(out, channelValues, "values", &p.root, "") {
		return
	}
	b := append(out.Buf, `{"messages":`...)
	b = messages{}.AppendMessages(b, p.folder.Messages(), new(hub.Losses))
	for key, val := range rawjson.EachField(p.state) {
		if string(key) != keyMessages {
			b = append(append(rawjson.AppendQuoted(append(b, ','), key), ':'), val...)
		}
	}
	out.Buf = append(b, '}')
	p.end(out)
}

// runEnd writes the last state, what the run waits for, and how it ended. What was streamed and stands in no state is lost to clients.
func (p *protocol) runEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	p.finish(out, &p.root)
	if p.folder != nil {
		p.folder.Add(ev)
	}
	p.values(out)
	switch ev.Status {
	case hub.StatusPaused:
		p.interrupts(out)
		p.lifecycle(out, &p.root, "interrupted", nil)
		return hub.Native
	case hub.StatusCancelled:
		p.lifecycle(out, &p.root, "interrupted", nil)
		return hub.Folded
	case hub.StatusFailed, hub.StatusTruncated:
		why := rawjson.Or(hub.Why(ev), "The run ended before it was complete.")
		p.lifecycle(out, &p.root, "failed", member.AppendText(nil, `,"error":"`, why))
		return hub.NativeIf(ev.Status == hub.StatusFailed)
	}
	p.lifecycle(out, &p.root, "completed", nil)
	return hub.NativeIf(ev.Status == hub.StatusDone || ev.Status == hub.StatusTools && p.waiting > 0)
}

// agentStart begins a sub-graph, in the namespace of its call where it has one.
func (p *protocol) agentStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	parent, segment := p.lane(ev.AgentSlot), []byte(nil)
	if len(ev.Ref) > 0 {
		segment = appendSegment(append(segment, "tools:"...), ev.Ref)
	} else {
		segment = appendNode(segment, ev)
	}
	l := &protocolLane{parts: append(parent.parts[:len(parent.parts):len(parent.parts)], string(segment))}
	l.namespace = append(l.namespace, '[')
	for i, part := range l.parts {
		if i > 0 {
			l.namespace = append(l.namespace, ',')
		}
		l.namespace = append(append(append(l.namespace, '"'), rawjson.AppendEscaped(nil, []byte(part))...), '"')
	}
	l.namespace = append(l.namespace, ']')
	p.lanes.Add(ev.Slot, l)
	more := []byte(nil)
	if len(ev.Ref) > 0 {
		more = append(member.AppendText(more, `,"cause":{"type":"toolCall","tool_call_id":"`, ev.Ref), '}')
	}
	p.lifecycle(out, l, "started", more)
	return hub.FoldedIf(len(ev.Title) > 0)
}

func (p *protocol) agentEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	l := p.lane(ev.Slot)
	if l == &p.root {
		return hub.Dropped
	}
	p.finish(out, l)
	p.lanes.Drop(ev.Slot)
	event, disposition := lastEvent(ev.Status)
	p.lifecycle(out, l, event, member.AppendText(nil, `,"error":"`, hub.Why(ev)))
	return disposition
}
