package pydantic

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// A plan is shown as one call of a tool whose result is replaced: that is how clients know such lists.

const (
	planID   = "plan"
	planTool = "todo_list"
)

// plan writes all items as a list in markdown, unless the card of a todo tool shows them.
func (e *encoder) plan(out *wire.Out, ev *hub.Event) hub.Disposition {
	if e.reported.Plan(ev) {
		return hub.Implied
	}
	c := &card{id: []byte(planID), name: []byte(planTool), title: []byte("Planning"), ready: true}
	if !e.planned {
		e.planned = true
		e.announce(out, c, nil)
	}
	items := ev.Rare().Items
	list, done := []byte(nil), 0
	for i := range items {
		list = appendItem(list, &items[i])
		if string(items[i].Status) == "completed" {
			done++
		}
	}
	end := hub.Event{Status: hub.StatusOK, Text: list, More: &hub.More{Meta: planMeta(done, len(items))}}
	e.end(out, &end, c)
	return hub.Folded
}

func appendItem(dst []byte, it *hub.PlanItem) []byte {
	if len(dst) > 0 {
		dst = append(dst, `\n`...)
	}
	switch string(it.Status) {
	case "completed":
		dst = append(append(dst, "- [x] "...), it.Content...)
	case "in_progress":
		dst = append(append(append(dst, "- [ ] **"...), it.Content...), "**"...)
	default:
		dst = append(append(dst, "- [ ] "...), it.Content...)
	}
	return dst
}

// planMeta says how far the plan is, as the friendly text of a result.
func planMeta(done, all int) []byte {
	meta := strconv.AppendInt([]byte(`{"`+metaName+`":{"`+metaResponse+`":"`), int64(done), 10)
	meta = strconv.AppendInt(append(meta, " of "...), int64(all), 10)
	return append(meta, ` tasks completed"}}`...)
}
