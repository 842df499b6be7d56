package opencode

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// Kinds of questions, as paths name them.
const (
	kindPermission = "permission"
	kindQuestion   = "question"
)

// questionOf is the server's name of the question that is answered, and of which kind it is.
func questionOf(d *hub.Decision) (id []byte, kind string) {
	id, _, _ = bytes.Cut(d.Ask, askMark)
	if bytes.HasPrefix(id, []byte("que")) {
		return id, kindQuestion
	}
	return id, kindPermission
}

// maxNesting is how deep the answers of a server about its questions may be.
const maxNesting = 64

// owners is what a server says of open questions and of sessions.
type owners struct {
	session map[string]string // of a question
	parent  map[string]string // of a session; "" for none
}

// checkQuestions asks for the questions that are open, and for the parents of their sessions: a sub-agent asks in one of its own.
func checkQuestions(req *hub.Request, answers [][]byte) (next *hub.SessionCall, open bool) {
	decided := conversation.Decided(req)
	lists := listsOf(decided)
	if len(answers) < len(lists) {
		return &hub.SessionCall{Method: "GET", Path: lists[len(answers)]}, false
	}
	known := read(answers)
	for i := range decided {
		id, _ := questionOf(&decided[i])
		session, own := known.session[plain(id)], plain(sessionOf(req))
		for generation := 0; session != own; generation++ {
			parent, asked := known.parent[session]
			switch {
			case session == "" || generation > len(known.parent):
				return nil, false
			case !asked:
				return &hub.SessionCall{Method: "GET", Path: []string{"session", session}}, false
			}
			session = parent
		}
	}
	return nil, true
}

// listsOf are the paths of the lists in which the questions must stand.
func listsOf(decided []hub.Decision) (paths [][]string) {
	for _, kind := range [...]string{kindPermission, kindQuestion} {
		for i := range decided {
			if _, is := questionOf(&decided[i]); is == kind {
				paths = append(paths, []string{kind})
				break
			}
		}
	}
	return paths
}

// read reads lists of questions, and sessions.
func read(answers [][]byte) owners {
	o := owners{session: map[string]string{}, parent: map[string]string{}}
	for _, answer := range answers {
		if answer = bytes.TrimSpace(answer); rawjson.ValueLen(answer, maxNesting) != len(answer) {
			continue // it is no JSON, and so says nothing
		}
		if rawjson.Kind(answer) == '{' {
			o.parent[plain(rawjson.Text(answer, "id"))] = plain(rawjson.Text(answer, "parentID"))
			continue
		}
		for _, question := range rawjson.EachObject(answer) {
			o.session[plain(question.Text("id"))] = plain(question.Text("sessionID"))
		}
	}
	return o
}
