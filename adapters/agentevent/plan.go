package agentevent

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/plandedup"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// planTool is the tool whose calls stand for plans; readers of other dialects know it as one that keeps a todo list.
const planTool = "todo_list"

// plan writes a plan as a call that has ended at once: the dialect has no place for one, but its clients show calls. Where
// calls of a todo tool carry the plan themselves, it is not repeated.
func (e *encoder) plan(out *wire.Out, ev *hub.Event) hub.Disposition {
	switch {
	case !e.plans || ev.More == nil:
		return hub.Dropped
	case e.reported.Plan(ev), e.planCalls:
		return hub.Implied
	}
	e.planned++
	c := e.tools.add(0, strconv.AppendUint([]byte("plan_"), e.planned, 10), []byte(planTool))
	if e.serialise && e.card == nil {
		e.tools.enqueue(c)
	}
	out.Buf = e.appendTool(e.open(out, typeToolCall, ev), c.id, c.name)
	out.Buf = append(out.Buf, `,"toolArgs":`...)
	e.close(out, e.appendArgs(out.Buf, &hub.Event{Value: appendTodos(nil, ev.More.Items)}), ev, c)
	e.result(out, &hub.Event{Status: hub.StatusOK, Msg: ev.Msg, Text: appendCount(nil, ev.More.Items), More: ev.More}, c)
	e.tools.end(out, c)
	return hub.Folded
}

// appendTodos appends the arguments of the call: members that an item does not have are left out.
func appendTodos(dst []byte, items []hub.PlanItem) []byte {
	dst = append(dst, `{"todos":[`...)
	for i := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		it := &items[i]
		dst = rawjson.AppendQuoted(append(dst, `{"content":`...), it.Content)
		dst = member.AppendText(dst, `,"status":"`, it.Status)
		dst = member.AppendText(dst, `,"priority":"`, it.Priority)
		dst = member.AppendText(dst, `,"id":"`, it.ID)
		dst = append(dst, '}')
	}
	return append(dst, "]}"...)
}

// appendCount appends how far the plan is, the result of the call.
func appendCount(dst []byte, items []hub.PlanItem) []byte {
	done := 0
	for i := range items {
		if string(items[i].Status) == "completed" {
			done++
		}
	}
	dst = strconv.AppendInt(dst, int64(done), 10)
	dst = append(dst, " of "...)
	dst = strconv.AppendInt(dst, int64(len(items)), 10)
	return append(dst, " completed"...)
}

// repeatsPlan notes the plan in the arguments of a call, and reports whether the call that stands for a plan has written
// it: then this one is not shown.
func (e *encoder) repeatsPlan(ev *hub.Event, c *openCall) bool {
	if !e.plans {
		return false
	}
	isPlan, again := e.reported.Call(ev)
	e.planCalls = e.planCalls || isPlan && !again
	return again && plandedup.IsTodoTool(c.name)
}

// mayHide reports whether a call may turn out to be one that repeatsPlan finds.
func (e *encoder) mayHide(c *openCall) bool { return e.planned > 0 && plandedup.IsTodoTool(c.name) }
