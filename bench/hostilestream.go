package bench

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// HostileStreams are runs of an agent that does one thing over and over, n times.
var HostileStreams = map[string]func(n int) []hub.Event{
	"texts": func(n int) []hub.Event {
		return each(n, func(i int) []hub.Event { return aText("t", i, hub.AnswerText) })
	},
	"texts of messages": func(n int) []hub.Event {
		return each(n, func(i int) []hub.Event {
			evs := aText("t", i, hub.AnswerText)
			for j := range evs {
				evs[j].Msg = numbered("m", i)
			}
			return evs
		})
	},
	"reasoning": func(n int) []hub.Event {
		return each(n, func(i int) []hub.Event { return aText("r", i, hub.Reasoning) })
	},
	"reasoning and texts": func(n int) []hub.Event {
		return each(n, func(i int) []hub.Event { return append(aText("r", i, hub.Reasoning), aText("t", i, hub.AnswerText)...) })
	},
	"texts, then calls that the client runs": func(n int) []hub.Event {
		return append(each(n, func(i int) []hub.Event { return aText("t", i, hub.AnswerText) }), each(n, func(i int) []hub.Event { return aCall(i, hub.ClientRuns) })...)
	},
	"calls": func(n int) []hub.Event {
		return each(n, func(i int) []hub.Event { return aCall(i, 0) })
	},
	"calls that the client runs": func(n int) []hub.Event {
		return each(n, func(i int) []hub.Event { return aCall(i, hub.ClientRuns) })
	},
	"calls and texts": func(n int) []hub.Event {
		return each(n, func(i int) []hub.Event { return append(aCall(i, 0), aText("t", i, hub.AnswerText)...) })
	},
	"open calls": func(n int) []hub.Event {
		return append(each(n, func(i int) []hub.Event { return aCall(i, 0)[:2] }), each(n, func(i int) []hub.Event { return aCall(i, 0)[2:] })...)
	},
	"fragments of arguments of open calls": func(n int) []hub.Event {
		const open = 50
		evs := each(open, func(i int) []hub.Event { return aCall(i, 0)[:1] })
		for i := range n {
			evs = append(evs, hub.Event{Kind: hub.ToolArgs, ID: numbered("c", i%open), Text: []byte(" ")})
		}
		return evs
	},
	"progress of a call": func(n int) []hub.Event {
		return append(aCall(0, 0)[:2], append(each(n, func(i int) []hub.Event {
			return []hub.Event{{Kind: hub.ToolUpdate, ID: []byte("c0"), Text: numbered("u", i)}}
		}), aCall(0, 0)[2:]...)...)
	},
	"outputs of a call": func(n int) []hub.Event {
		return append(aCall(0, 0)[:2], append(each(n, func(i int) []hub.Event {
			return []hub.Event{{Kind: hub.ToolOutput, ID: []byte("c0"), Text: numbered("o", i)}}
		}), aCall(0, 0)[2:]...)...)
	},
	"steps": func(n int) []hub.Event {
		return each(n, func(i int) []hub.Event {
			id := numbered("s", i)
			return []hub.Event{{Kind: hub.StepStart, ID: id, Name: id}, {Kind: hub.StepEnd, ID: id}}
		})
	},
	"open steps": func(n int) []hub.Event {
		return each(n, func(i int) []hub.Event {
			return []hub.Event{{Kind: hub.StepStart, ID: numbered("s", i), Name: numbered("s", i)}}
		})
	},
	"sub-agents": func(n int) []hub.Event {
		return each(n, func(i int) []hub.Event {
			return append(aSubAgent(i), hub.Event{Kind: hub.AgentEnd, ID: numbered("a", i), Status: hub.StatusOK})
		})
	},
	"open sub-agents": func(n int) []hub.Event {
		return each(n, aSubAgent)
	},
	"questions": func(n int) []hub.Event {
		return each(n, func(i int) []hub.Event {
			id := numbered("q", i)
			return append(aCall(i, 0)[:2], hub.Event{Kind: hub.Ask, ID: id, Ref: numbered("c", i), AskKind: hub.AskPermission, Title: id, More: &hub.More{Usage: hub.NoCounts}})
		})
	},
	"questions and answers": func(n int) []hub.Event {
		return each(n, func(i int) []hub.Event {
			id := numbered("q", i)
			return []hub.Event{{Kind: hub.Ask, ID: id, AskKind: hub.AskQuestion, Title: id, More: &hub.More{Usage: hub.NoCounts}},
				{Kind: hub.Answer, ID: id, Status: hub.StatusChosen}}
		})
	},
	"plans": func(n int) []hub.Event {
		return each(n, func(i int) []hub.Event {
			return []hub.Event{{Kind: hub.Plan, More: &hub.More{Usage: hub.NoCounts, Items: []hub.PlanItem{{Content: numbered("p", i)}}}}}
		})
	},
	"sources": func(n int) []hub.Event {
		return each(n, func(i int) []hub.Event {
			return []hub.Event{{Kind: hub.Source, ID: numbered("x", i), Title: []byte("t"), More: &hub.More{Usage: hub.NoCounts, File: hub.FileRef{URL: numbered("https://x/", i)}}}}
		})
	},
	"sources of a text": func(n int) []hub.Event {
		t := aText("t", 0, hub.AnswerText)
		return append(t[:2:2], append(each(n, func(i int) []hub.Event {
			return []hub.Event{{Kind: hub.Source, ID: numbered("x", i), Ref: []byte("t0"), Title: []byte("t"), More: &hub.More{Usage: hub.NoCounts, File: hub.FileRef{URL: numbered("https://x/", i)}}},
				{Kind: hub.TextDelta, ID: []byte("t0"), Text: []byte("x"), Msg: []byte("m")}}
		}), t[2])...)
	},
	"files": func(n int) []hub.Event {
		return each(n, func(i int) []hub.Event {
			return []hub.Event{{Kind: hub.File, ID: numbered("x", i), More: &hub.More{Usage: hub.NoCounts, File: hub.FileRef{URL: numbered("https://x/", i), Media: []byte("image/png")}}}}
		})
	},
	"data": func(n int) []hub.Event {
		return each(n, func(i int) []hub.Event {
			return []hub.Event{{Kind: hub.Data, Name: numbered("d", i), ID: numbered("d", i), Op: hub.Emit, Value: []byte(`{"a":1}`)}}
		})
	},
	"state": func(n int) []hub.Event {
		return each(n, func(i int) []hub.Event {
			return []hub.Event{{Kind: hub.Data, Name: []byte("state"), Op: hub.Set, Value: []byte(`{"a":` + strconv.Itoa(i) + `}`)}}
		})
	},
	"patches of the state": func(n int) []hub.Event {
		return each(n, func(i int) []hub.Event {
			return []hub.Event{{Kind: hub.Data, Name: []byte("state"), Op: hub.Patch, Value: []byte(`[{"op":"add","path":"/a` + strconv.Itoa(i) + `","value":1}]`)}}
		})
	},
	"notices": func(n int) []hub.Event {
		return each(n, func(i int) []hub.Event {
			return []hub.Event{{Kind: hub.Notice, Level: hub.LevelInfo, Text: numbered("n", i)}}
		})
	},
	"usage": func(n int) []hub.Event {
		return each(n, func(i int) []hub.Event {
			u := hub.NoCounts
			u.In, u.Out = int64(i), int64(i)
			return []hub.Event{{Kind: hub.Usage, Ref: numbered("s", i), More: &hub.More{Usage: u, Model: numbered("m", i)}}}
		})
	},
	"replacements of a text": func(n int) []hub.Event {
		t := aText("t", 0, hub.AnswerText)
		return append(t[:1:1], append(each(n, func(i int) []hub.Event {
			return []hub.Event{{Kind: hub.TextDelta, ID: []byte("t0"), Op: hub.Replace, Text: numbered("x", i), Msg: []byte("m")}}
		}), t[2])...)
	},
}

func each(n int, one func(i int) []hub.Event) (all []hub.Event) {
	for i := range n {
		all = append(all, one(i)...)
	}
	return all
}

func numbered(prefix string, i int) []byte { return strconv.AppendInt([]byte(prefix), int64(i), 10) }

func aText(prefix string, i int, ch hub.Chan) []hub.Event {
	id, msg := numbered(prefix, i), []byte("m")
	return []hub.Event{
		{Kind: hub.TextStart, ID: id, Msg: msg, Chan: ch},
		{Kind: hub.TextDelta, ID: id, Msg: msg, Chan: ch, Text: []byte("x")},
		{Kind: hub.TextEnd, ID: id, Msg: msg, Chan: ch},
	}
}

// aSubAgent begins a sub-agent that says a text.
func aSubAgent(i int) []hub.Event {
	id := numbered("a", i)
	evs := []hub.Event{{Kind: hub.AgentStart, ID: id, Name: id}}
	for _, ev := range aText("t", i, hub.AnswerText) {
		ev.SubAgent = id
		evs = append(evs, ev)
	}
	return evs
}

func aCall(i int, flags hub.Flags) []hub.Event {
	id, name := numbered("c", i), numbered("f", i)
	status := hub.StatusOK
	if flags.Has(hub.ClientRuns) {
		status = hub.StatusClient
	}
	return []hub.Event{
		{Kind: hub.ToolStart, ID: id, Name: name, Msg: []byte("m"), Flags: flags},
		{Kind: hub.ToolReady, ID: id, Name: name, Value: []byte("{}")},
		{Kind: hub.ToolEnd, ID: id, Name: name, Status: status, Text: []byte("x")},
	}
}

// HostileRun is the run of a kind.
func HostileRun(kind string, n int) []hub.Event {
	evs := []hub.Event{{Kind: hub.RunStart, ID: []byte("run"), Ref: []byte("thread")}}
	return append(append(evs, HostileStreams[kind](n)...), hub.Event{Kind: hub.RunEnd, Status: hub.StatusDone})
}
