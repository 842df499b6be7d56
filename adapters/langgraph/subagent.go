package langgraph

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// subAgent is a sub-graph that has spoken: its namespace, as in "messages|child:1b2c|tools:77aa".
type subAgent struct {
	id     []byte // string body, the whole namespace; nil for the graph itself
	name   []byte // string body: the node that the sub-graph runs in
	parent *subAgent
	ended  bool
	begun  bool // it has spoken: a state is no longer the input that it began with
}

// subAgents are those seen so far, by namespace as it stands in the event name.
type subAgents struct {
	by   map[string]*subAgent
	last *subAgent
	key  []byte // namespace of last
}

// maxSubAgents bounds the sub-graphs that are distinguished. What later ones say is attributed to the graph itself.
const maxSubAgents = 1024

func (t *subAgents) reset() {
	clear(t.by)
	t.last, t.key = nil, t.key[:0]
}

// subAgent returns the sub-graph of a namespace. A new one is opened, after those around it.
func (d *decoder) subAgent(dst []hub.Event, namespace []byte) ([]hub.Event, *subAgent) {
	t := &d.subAgents
	if len(namespace) == 0 {
		return dst, &d.root
	}
	if t.last != nil && bytes.Equal(t.key, namespace) {
		return dst, t.last
	}
	l := t.by[string(namespace)]
	if l == nil {
		dst, l = d.openSubAgent(dst, namespace)
	}
	t.last, t.key = l, append(t.key[:0], namespace...)
	return dst, l
}

// openSubAgent opens the sub-graph, and all around it that are new, from the outside in.
func (d *decoder) openSubAgent(dst []hub.Event, namespace []byte) ([]hub.Event, *subAgent) {
	t, l := &d.subAgents, &d.root
	if t.by == nil {
		t.by = map[string]*subAgent{}
	}
	for end := 0; end < len(namespace); end++ {
		if i := bytes.IndexByte(namespace[end:], '|'); i >= 0 {
			end += i
		} else {
			end = len(namespace)
		}
		inner := t.by[string(namespace[:end])]
		if inner == nil {
			if len(t.by) == maxSubAgents {
				return dst, l
			}
			inner = newSubAgent(namespace[:end], l)
			t.by[string(namespace[:end])] = inner
			dst = d.agentStart(dst, inner)
		}
		l = inner
	}
	return dst, l
}

func newSubAgent(namespace []byte, parent *subAgent) *subAgent {
	segment := namespace[bytes.LastIndexByte(namespace, '|')+1:]
	node, _, _ := bytes.Cut(segment, []byte(":"))
	return &subAgent{id: rawjson.AppendEscaped(nil, namespace), name: rawjson.AppendEscaped(nil, node), parent: parent}
}

// agentStart tells of a new sub-graph. One that runs in a tool may be named after the call.
func (d *decoder) agentStart(dst []hub.Event, l *subAgent) []hub.Event {
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.AgentStart, ID: l.id, Name: l.name, SubAgent: l.parent.id})
	if _, call, ok := bytes.Cut(l.id[bytes.LastIndexByte(l.id, '|')+1:], []byte(":")); ok && d.calls.Has(call) {
		ev.Ref = call
	}
	return dst
}

// endNode ends the sub-graph that ran in a node, if only one did: where a node runs several times at once, an update
// does not say which is over.
func (d *decoder) endNode(dst []hub.Event, parent *subAgent, node []byte) []hub.Event {
	var found *subAgent
	for _, l := range d.subAgents.by {
		if l.parent != parent || l.ended || !bytes.Equal(l.name, node) {
			continue
		}
		if found != nil {
			return dst
		}
		found = l
	}
	if found == nil {
		return dst
	}
	found.ended = true
	return append(dst, hub.Event{Kind: hub.AgentEnd, ID: found.id, Status: hub.StatusOK})
}

// lifecycle says that a sub-graph begins or is over. subAgent has reported its beginning already.
func (d *decoder) lifecycle(dst []hub.Event, l *subAgent, v rawjson.Value) ([]hub.Event, error) {
	if l == &d.root {
		return dst, nil // the run itself has its own records
	}
	event := string(rawjson.Text(v, "event"))
	if event == "started" || event == "running" {
		d.learn(dst, l, v)
	}
	status := ends[event]
	if status == hub.StatusNone || l.ended {
		return dst, nil
	}
	l.ended = true
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.AgentEnd, ID: l.id, Status: status})
	if err := rawjson.Text(v, "error"); err != nil {
		d.scratch.MoreOf(ev).Err = err
	}
	return dst, nil
}

// ends are the events of a lifecycle that end a sub-graph.
var ends = map[string]hub.Status{"completed": hub.StatusOK, "failed": hub.StatusError, "interrupted": hub.StatusPaused}

// learn adds what a lifecycle record says of a sub-graph to the start that the same record made.
func (d *decoder) learn(dst []hub.Event, l *subAgent, v rawjson.Value) {
	if len(dst) == 0 {
		return
	}
	ev := &dst[len(dst)-1]
	if ev.Kind != hub.AgentStart || !bytes.Equal(ev.ID, l.id) {
		return
	}
	if call := rawjson.Text(v, "tool_call_id"); len(call) > 0 {
		ev.Ref = call
	}
	if graph := rawjson.Text(v, "graph_name"); len(graph) > 0 {
		ev.Name = graph
	}
	ev.Title = rawjson.Text(v, "description")
}

// step is a node at work.
type step struct {
	subAgent *subAgent
	id       []byte // the task, or what stands for it
	node     []byte
}

// maxSteps bounds the nodes that are known to be at work.
const maxSteps = 64

// inStep opens the step that a piece of text came from, if it is a new one.
func (d *decoder) inStep(dst []hub.Event, l *subAgent, meta *metadata) []hub.Event {
	if len(meta.node) == 0 || meta.step == nil {
		return dst
	}
	namespace := meta.namespace
	task := namespace[bytes.LastIndexAny(namespace, "|:")+1:]
	for i := len(d.steps) - 1; i >= 0; i-- {
		if s := &d.steps[i]; s.subAgent == l && (bytes.Equal(s.id, task) || len(task) == 0 && bytes.Equal(s.node, meta.node)) {
			return dst
		}
	}
	if len(task) == 0 {
		task = d.scratch.Since(append(append(append(d.scratch.Begin(), meta.step...), ':'), meta.node...))
	}
	return d.openStep(dst, l, task, meta.node)
}

func (d *decoder) openStep(dst []hub.Event, l *subAgent, id, node []byte) []hub.Event {
	if len(d.steps) == maxSteps {
		d.steps = append(d.steps[:0], d.steps[1:]...)
	}
	d.steps = append(d.steps, step{subAgent: l, id: bytes.Clone(id), node: bytes.Clone(node)})
	return append(dst, hub.Event{Kind: hub.StepStart, ID: id, Name: node, SubAgent: l.id})
}

// closeSteps ends the steps of a sub-graph that match.
func (d *decoder) closeSteps(dst []hub.Event, l *subAgent, match func(*step) bool) []hub.Event {
	kept := d.steps[:0]
	for _, s := range d.steps {
		if s.subAgent != l || !match(&s) {
			kept = append(kept, s)
			continue
		}
		dst = append(dst, hub.Event{Kind: hub.StepEnd, ID: s.id, SubAgent: l.id, Status: hub.StatusDone})
	}
	d.steps = kept
	return dst
}

// task says that a node begins, or with a result or an error that it is over.
func (d *decoder) task(dst []hub.Event, l *subAgent, v rawjson.Value) ([]hub.Event, error) {
	id, node := rawjson.Text(v, "id"), rawjson.Text(v, "name")
	if len(id) == 0 {
		return dst, hub.NewError(hub.ReasonMissing, "id", -1, "a task needs an id")
	}
	same := func(s *step) bool { return bytes.Equal(s.id, id) }
	if rawjson.Get(v, "result") == nil && rawjson.Get(v, "error") == nil {
		for i := range d.steps {
			if d.steps[i].subAgent == l && same(&d.steps[i]) {
				return dst, nil
			}
		}
		return d.openStep(dst, l, id, node), nil
	}
	n := len(dst)
	dst = d.closeSteps(dst, l, same)
	if rawjson.IsNull(rawjson.Get(v, "error")) {
		return dst, nil
	}
	for i := n; i < len(dst); i++ {
		dst[i].Status = hub.StatusFailed
	}
	return dst, nil
}
