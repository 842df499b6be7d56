package claudecli

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/questions"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// questionTool is the tool by which the agent asks the user something else than for a permission.
const questionTool = "AskUserQuestion"

// answerTo is the line that answers a question; false if the decision does not say how.
func answerTo(a questions.Answer, l *hub.Losses) (line []byte, ok bool) {
	decided, args := *a.Decision, a.Question.Value
	decided.Ask = a.Question.ID
	if a.Question.Kind == questionTool && !decided.Cancelled {
		if given := answered(args, decided.Payload); given != nil {
			decided.Decided, decided.Approved, args = true, true, given
		}
	}
	if chosen := string(questions.Chosen(&decided)); !decided.Decided && (chosen == "allow" || chosen == "deny") {
		decided.Decided, decided.Approved = true, chosen == "allow"
	}
	if !decided.Decided && !decided.Cancelled {
		return nil, false
	}
	return answer(&decided, args, l), true
}

// answered are the arguments of the tool with what the user has answered: the texts of the questions with those of the answers, or
// a text alone, if there is one question. It is nil if nothing was answered.
func answered(args, payload rawjson.Value) []byte {
	answers := rawjson.Get(payload, "answers")
	if only := onlyQuestion(args); rawjson.Kind(answers) != '{' && only != nil && rawjson.Kind(payload) == '"' {
		answers = append(append(append(append([]byte("{"), only...), ':'), payload...), '}')
	}
	if rawjson.Kind(answers) != '{' {
		return nil
	}
	w := jsonwriter.New(nil)
	w.Open('{')
	for key, v := range rawjson.EachField(args) {
		if string(key) != "answers" {
			w.Value(string(key), v)
		}
	}
	w.Value("answers", answers)
	w.Close('}')
	return w.Buf
}

// onlyQuestion is the text of the question, as it stands, if there is one alone.
func onlyQuestion(args rawjson.Value) (text rawjson.Value) {
	n := 0
	for v := range rawjson.Each(rawjson.Get(args, "questions")) {
		text, n = rawjson.Get(v, "question"), n+1
	}
	if n != 1 || rawjson.Kind(text) != '"' {
		return nil
	}
	return text
}
