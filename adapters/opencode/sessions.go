package opencode

import (
	"bytes"
	"net/url"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/questions"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// sessions are those of opencode serve, whose bus tells of all of them. A prompt that comes while a run goes on is answered late, or, where
// that run is stopped, not at all.
var sessions = hub.SessionServer{
	RunPaths: []string{"/event"},
	Always:   true,
	Run: func(req *hub.Request) []string {
		return []string{"session", plain(sessionOf(req)), "prompt_async"}
	},
	Open: openSession,
	Delete: func(req *hub.Request) hub.SessionCall {
		return hub.SessionCall{Method: "DELETE", Path: []string{"session", plain(sessionOf(req))}}
	},
	Unknown:    []int{404},
	Listen:     func(*hub.Request) hub.SessionCall { return hub.SessionCall{Method: "GET", Path: []string{"event"}} },
	Greeting:   `"type":"server.connected"`,
	Answers:    answers,
	Check:      checkQuestions,
	Interrupts: true,
	Cancel: func(req *hub.Request, _ func(string) string) hub.SessionCall {
		return hub.SessionCall{Method: "POST", Path: []string{"session", plain(sessionOf(req)), "abort"}}
	},
}

// sessionOf is the name of a session. Servers want this beginning.
func sessionOf(req *hub.Request) []byte {
	if len(req.Session) == 0 {
		return nil
	}
	return append([]byte("ses_"), bytes.ReplaceAll(req.Session, []byte("-"), nil)...)
}

// openSession opens a session, or finds it open. POST /session takes no name for one, and this path no ?directory=.
func openSession(req *hub.Request, _ *hub.Losses) hub.SessionCall {
	w := jsonwriter.New(nil)
	w.Open('{')
	w.Text("id", sessionOf(req))
	if at, _ := url.ParseQuery(req.UpstreamQuery); at.Get("directory") != "" {
		w.OpenAt("location", '{')
		w.Text("directory", rawjson.AppendEscaped(nil, []byte(at.Get("directory"))))
		w.Close('}')
	}
	w.Close('}')
	return hub.SessionCall{Method: "POST", Path: []string{"api", "session"}, Body: w.Buf}
}

// answers are the answers to questions, each a request of its own. Those that reject come last: a server rejects with one permission all
// others of the session that are open.
func answers(req *hub.Request) []hub.SessionCall {
	var yes, no []hub.SessionCall
	decided := conversation.Decided(req)
	for i := range decided {
		if call, rejects, err := answer(&decided[i]); err != nil {
			continue
		} else if rejects {
			no = append(no, call)
		} else {
			yes = append(yes, call)
		}
	}
	return append(yes, no...)
}

// answer is the request that answers a question. The error says that the decision is no answer.
func answer(d *hub.Decision) (call hub.SessionCall, rejects bool, err error) {
	id, kind := questionOf(d)
	last, w := "reply", jsonwriter.New(nil)
	if kind == kindQuestion {
		if d.Cancelled || d.Decided && !d.Approved {
			last, rejects = "reject", true
		} else if !appendAnswers(w, d.Payload) {
			return call, false, questions.Unclear()
		}
	} else if rejects, err = appendReply(w, d); err != nil {
		return call, false, err
	}
	return hub.SessionCall{Method: "POST", Path: []string{kind, plain(id), last}, Body: w.Buf}, rejects, nil
}

// appendReply writes what was decided of a permission: by the option that was chosen, or else by whether it was approved.
func appendReply(w *jsonwriter.Writer, d *hub.Decision) (rejects bool, err error) {
	reply := string(questions.Chosen(d))
	if reply != "once" && reply != "always" && reply != "reject" {
		switch reply = "reject"; {
		case d.Decided && d.Approved && !d.Cancelled:
			reply = "once"
		case !d.Decided && !d.Cancelled:
			return false, questions.Unclear()
		}
	}
	w.Open('{')
	w.Const("reply", reply)
	if reply == "reject" {
		w.TextIf("message", d.Reason)
	}
	w.Close('}')
	return reply == "reject", nil
}

// appendAnswers writes the answers to the questions that were asked at once, each a list of labels, or of words. One question may be answered by
// a text, several by a list of texts, or an object with such a member, answers, or with a member for each, in their order.
func appendAnswers(w *jsonwriter.Writer, payload rawjson.Value) bool {
	given := rawjson.Value(rawjson.First(rawjson.Get(payload, "answers"), rawjson.Get(payload, "answer"), payload))
	var lists [][]byte
	switch rawjson.Kind(given) {
	case '"':
		lists = [][]byte{given}
	case '[':
		for v := range rawjson.Each(given) {
			lists = append(lists, v)
		}
	case '{':
		for _, v := range rawjson.EachField(given) {
			lists = append(lists, v)
		}
	}
	w.Open('{')
	w.OpenAt("answers", '[')
	for _, v := range lists {
		switch rawjson.Kind(v) {
		case '[':
			w.Raw(v)
		case '"':
			w.Raw([]byte("["), v, []byte("]"))
		default:
			return false
		}
	}
	w.Close(']')
	w.Close('}')
	return len(lists) > 0
}

func plain(body []byte) string { return string(rawjson.AppendUnescaped(nil, body)) }
