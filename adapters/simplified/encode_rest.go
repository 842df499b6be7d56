package simplified

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/usage"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// maxDocs is how many bytes of documents are kept for the list at the end; what is beyond is not in it.
const maxDocs = 1 << 20

// maxStats is how many bytes of statistics are kept for the end.
const maxStats = 64 << 10

// todoList is the todo_update that was written last.
type todoList struct {
	entries []byte // the elements of its array
	of      *agent
	byCall  bool // it was made of a call's arguments, not of a plan
}

// plan writes the whole list: clients replace theirs.
func (e *encoder) plan(out *wire.Out, ev *hub.Event, a *agent) hub.Disposition {
	items := ev.Rare().Items
	entries, isWhole := e.appendTodos(e.next[:0], items)
	e.next = entries
	if e.todos.byCall && e.todos.says(entries, a) {
		e.todos.byCall = false
		return hub.Implied // the call has shown it
	}
	e.writeTodos(out, a, entries, false)
	return hub.NativeIf(isWhole)
}

// todoCall shows the arguments of a todo tool. Where the upstream tells its plan as well, the two say the same, in
// either order.
func (e *encoder) todoCall(out *wire.Out, ev *hub.Event, a *agent) hub.Disposition {
	args := ev.Value
	if body, ok := rawjson.Str(args); ok {
		e.plain, _ = rawjson.ValueOfText(e.plain[:0], body)
		args = e.plain
	}
	todos := rawjson.Get(args, "todos")
	if rawjson.Kind(todos) != '[' {
		return hub.Dropped
	}
	entries, _ := e.appendTodos(e.next[:0], appendItems(nil, todos))
	e.next = entries
	if !e.todos.says(entries, a) {
		e.writeTodos(out, a, entries, true)
	}
	return hub.Folded
}

// says reports whether the list was shown already.
func (l *todoList) says(entries []byte, a *agent) bool {
	return l.of == a && bytes.Equal(l.entries, entries)
}

// writeTodos writes a frame, and remembers what it shows.
func (e *encoder) writeTodos(out *wire.Out, a *agent, entries []byte, byCall bool) {
	e.todos.entries = append(e.todos.entries[:0], entries...)
	e.todos.of, e.todos.byCall = a, byCall
	out.Buf = append(append(e.open(out, a, typeTodo), `,"data":{"todos":[`...), entries...)
	e.close(out, append(out.Buf, `]}`...), a)
}

// appendTodos appends the elements of a list of todos. isWhole tells that nothing of the plan is lost.
func (e *encoder) appendTodos(dst []byte, items []hub.PlanItem) (_ []byte, isWhole bool) {
	isWhole = true
	for i := range items {
		if e.opt.todoLimit > 0 && i == e.opt.todoLimit {
			return dst, false
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		it := &items[i]
		status, exact := todoStatus(it.Status)
		dst = append(append(dst, `{"content":"`...), it.Content...)
		dst = append(append(append(dst, `","status":"`...), status...), `"}`...)
		isWhole = isWhole && exact && len(it.Priority) == 0 && len(it.ID) == 0
	}
	return dst, isWhole
}

// todoStatus maps what other dialects call the states of an entry.
func todoStatus(status []byte) (_ string, exact bool) {
	switch s := string(status); s {
	case "pending", "in_progress", "completed":
		return s, true
	case "done", "complete", "finished", "success", "cancelled", "canceled", "skipped":
		return "completed", false // done with
	case "running", "active", "started", "doing", "in-progress", "inProgress":
		return "in_progress", false
	}
	return "pending", false
}

// source writes a document at once, for those who watch, and keeps it for the list at the end.
func (e *encoder) source(out *wire.Out, ev *hub.Event, a *agent) hub.Disposition {
	kept := ev.Meta(name)
	doc := rawjson.Get(kept, "document")
	if doc == nil {
		e.next = appendDocument(e.next[:0], ev)
		doc = e.next
	}
	query, url := rawjson.Get(kept, "searchQuery"), rawjson.Get(kept, "searchUrl")
	if query == nil {
		query = rawjson.Value(`"Agent Search"`) // as the server calls what has no query
	}
	out.Buf = append(append(e.open(out, a, typeSourcesAdded), `,"data":[`...), doc...)
	out.Buf = member.AppendRaw(append(out.Buf, ']'), `,"searchQuery":`, query)
	e.close(out, member.AppendRaw(out.Buf, `,"searchUrl":`, url), a)
	if len(e.docs)+len(doc) <= maxDocs {
		e.docs = append(append(e.docs, doc...), ',')
	}
	return hub.FoldedIf(kept == nil && (len(ev.Ref) > 0 || ev.Value != nil))
}

// appendDocument makes a document of a source. What clients show of it is the title and the link.
func appendDocument(dst []byte, ev *hub.Event) []byte {
	dst = append(append(dst, `{"pageContent":"`...), ev.Text...)
	dst = append(dst, `","metadata":{`...)
	n := len(dst)
	dst = member.AppendText(dst, `,"title":"`, ev.Title)
	f := &ev.Rare().File
	dst = member.AppendText(dst, `,"url":"`, f.URL)
	source := f.Name
	if len(source) == 0 && len(f.URL) == 0 {
		source = f.FileID
	}
	dst = member.AppendText(dst, `,"source":"`, source)
	if len(dst) > n {
		dst = append(dst[:n], dst[n+1:]...) // without the first comma
	}
	return append(dst, "}}"...)
}

// finalSources writes the list that clients keep with the message.
func (e *encoder) finalSources(out *wire.Out) {
	if len(e.docs) == 0 {
		return
	}
	out.Buf = append(append(e.open(out, e.root, typeSources), `,"data":[`...), e.docs[:len(e.docs)-1]...)
	e.close(out, append(out.Buf, `],"searchQuery":""`...), e.root)
}

// usage writes the statistics so far. Those of a session would be taken for the message's.
func (e *encoder) usage(out *wire.Out, ev *hub.Event, a *agent) hub.Disposition {
	if ev.More == nil || ev.Scope == hub.SessionScope {
		return hub.Dropped
	}
	counts, disposition := &ev.More.Usage, hub.Native
	switch {
	case a != e.root:
	case ev.Scope != hub.StepScope:
		e.isTotal = true
	case e.isTotal:
		return hub.Dropped
	default:
		step := usage.Known(*counts)
		e.steps.Add(&step)
		counts, disposition = &e.steps, hub.Folded
	}
	if len(ev.More.Model) > 0 {
		e.model = append(e.model[:0], ev.More.Model...)
	}
	stats := rawjson.Get(ev.Meta(name), typeStats)
	if stats == nil {
		e.next = appendStats(e.next[:0], counts, e.model)
		stats = e.next
	}
	if a == e.root && len(stats) <= maxStats {
		e.stats = append(e.stats[:0], stats...)
	}
	e.close(out, member.AppendRaw(e.open(out, a, typeStats), `,"data":`, stats), a)
	return disposition
}

// appendStats appends ModelStats. Of two models that the server uses, others know one.
func appendStats(dst []byte, c *hub.Counts, model []byte) []byte {
	for _, head := range [...]string{`{"modelName":"`, `","modelNameChat":"`, `","modelNameSystem":"`} {
		dst = append(append(dst, head...), model...)
	}
	dst = appendUsage(append(dst, `","usage":`...), c)
	dst = appendUsage(append(dst, `,"usageChat":`...), c)
	dst = appendUsage(append(dst, `,"usageSystem":`...), &hub.Counts{})
	return append(dst, `,"usedLocation":false,"usedPersonalization":false}`...)
}

func appendUsage(dst []byte, c *hub.Counts) []byte {
	known := usage.Known(*c)
	return append(counts.Append(append(dst, '{'), &known), '}')
}

// notice shows something for people above the answer. Clients show it as long as current is not total.
func (e *encoder) notice(out *wire.Out, ev *hub.Event, a *agent) hub.Disposition {
	if e.opt.dropNotices || len(ev.Text) == 0 {
		return hub.Dropped
	}
	out.Buf = append(append(e.open(out, a, typeProgress), `,"data":{"message":"`...), ev.Text...)
	out.Buf = append(out.Buf, '"')
	if kept := ev.Meta(name); kept != nil {
		out.Buf = appendMembers(out.Buf, kept)
	} else {
		out.Buf = member.AppendRaw(out.Buf, `,"current":`, rawjson.Or(ev.Rare().Percent, "0"))
		out.Buf = append(out.Buf, `,"total":100`...)
	}
	e.close(out, append(out.Buf, '}'), a)
	return hub.NativeIf(ev.Level == hub.LevelStatus)
}
