package pydantic

import (
	"strings"
	"testing"
)

// TestTemplates is S1-31: what a template makes of arguments and results, and when it gives way.
func TestTemplates(t *testing.T) {
	f := func(text, want string, v values) {
		t.Helper()
		got, ok := parseTemplate(text).render([]byte("> "), &v)
		if !ok {
			got = append(got, "missing"...)
		}
		if string(got) != "> "+want {
			t.Errorf("%s: got %q, want %q", text, got, "> "+want)
		}
	}
	args := values{tool: []byte("a"), args: []byte(`{"path":"a \"b\"\n","n":1.5,"deep":{"x":[1]},"no":null,"empty":""}`)}
	f("plain", "plain", args)
	f("", "", args)
	f("{path}", "a \"b\"\n", args)
	f("{n} {deep.x} {tool_name}", "1.5 [1] a", args)
	f("{no|empty|x|n}", "1.5", args)
	f("{x}", "missing", args)
	f("{x|=else}", "else", args)
	f("{x|=}", "", args)
	f("{?in {path}}", "in a \"b\"\n", args)
	f("a{? in {x}}b", "ab", args)
	f("{path:3}", "a \"[...]", args)
	f("{path:99}", "a \"b\"\n", args)
	f("{path:0}", "missing", args) // no limit, so part of the name
	f("{é:1|=éé}", "éé", args)
	f("{arguments:8}", `{"path":[...]`, args)
	f("{arguments}", "missing", values{args: []byte(`{}`)})
	f("{unclosed", "{unclosed", args)
	f("a } b", "a } b", args)
	f("{?a} b}", "a b}", args)
	f("{?a", "a", args)
	f("a{?{?n}}", "a", args) // parts do not nest: the inner one is a place without a value

	end := values{args: args.args, result: []byte(`r\n`), object: []byte(`{"code":0,"path":"of the result"}`), reason: []byte("why")}
	f("{result}|{result.code}|{code}|{n}|{reason}", "r\n|0|0|1.5|why", end)
	f("{path}", "of the result", end)
	f("{result.n}", "missing", end)
	f("{task}", "missing", values{})
	f("{task}", "of the arguments", values{args: []byte(`{"task":"of the arguments"}`)})
	f("{task}", "of the event", values{task: []byte("of the event"), args: []byte(`{"task":"of the arguments"}`)})
	f("{agent_type} {agent_title}", "code_reviewer Code Reviewer", values{agent: []byte("code_reviewer")})
}

// TestPhase is S1-30 and S1-32: which template is taken. Custom ones go before those that come with the dialect, and one
// that renders to nothing gives way, except the last.
func TestPhase(t *testing.T) {
	f := func(p phase, v values, want string) {
		t.Helper()
		if got := string(p.append(nil, &v)); got != want {
			t.Errorf("%s %s: got %q, want %q", v.tool, v.agent, got, want)
		}
	}
	jira := values{tool: []byte("delegate_to_jira_agent"), agent: []byte("jira")}
	other := values{tool: []byte("delegate_to_x"), agent: []byte("x")}
	fetch := values{tool: []byte("fetch_file"), args: []byte(`{"file_path":"a.py"}`)}
	bare := values{tool: []byte("fetch_file")}

	p := newPhase(runMessages, nil)
	f(p, jira, "🎫 Starting Jira integration agent - handling Jira operations...")
	f(p, other, "🚀 Starting x subagent - streaming work in real-time...")
	f(p, fetch, "Fetching file: a.py")
	f(p, bare, "Running fetch_file")
	p = newPhase(runMessages, map[string]string{"fetch_file": "Reading", "delegate_to_*": "Off to {agent_title}", "delegate_to_jira": ""})
	f(p, fetch, "Reading")
	f(p, other, "Off to X")
	f(p, jira, "Off to Jira")
	p = newPhase(nil, map[string]string{"*": ""})
	f(p, fetch, "")
}

// TestDelegationTexts is S1-35 with all the types of S1-37, each with its four texts.
func TestDelegationTexts(t *testing.T) {
	phases := []phase{newPhase(runMessages, nil), newPhase(responseMessages, nil), newPhase(callInfos, nil), newPhase(resultInfos, nil)}
	f := func(typ string, want ...string) {
		t.Helper()
		v := values{
			tool: []byte(delegatePrefix + typ), agent: []byte(typ), task: []byte("Fix the bug"), result: []byte("Fixed."),
			args: []byte(`{"context":"` + strings.Repeat("c", 501) + `"}`),
		}
		for i, p := range phases {
			if got := string(p.append(nil, &v)); got != want[i] {
				t.Errorf("%s: got\n%s\nwant\n%s", typ, got, want[i])
			}
		}
	}
	info := "\n\n**Task:**\nFix the bug\n\n**Context Provided:**\n" + strings.Repeat("c", 500) + "[...]"
	f("think_execute", "🚀 Starting subagent with full tool access - streaming work in real-time...",
		"✅ Subagent completed - returning task result to supervisor",
		"🤖 **General Subagent**"+info, "**General Subagent Result:**\n\nFixed.")
	f("jira", "🎫 Starting Jira integration agent - handling Jira operations...",
		"✅ Jira agent completed - returning results to supervisor",
		"🎫 **Jira Integration Agent**"+info, "**Jira Agent Result:**\n\nFixed.")
	f("github", "🐙 Starting GitHub integration agent - handling repository operations...",
		"✅ GitHub agent completed - returning results to supervisor",
		"🐙 **GitHub Integration Agent**"+info, "**GitHub Agent Result:**\n\nFixed.")
	f("confluence", "📄 Starting Confluence integration agent - handling documentation operations...",
		"✅ Confluence agent completed - returning results to supervisor",
		"📄 **Confluence Integration Agent**"+info, "**Confluence Agent Result:**\n\nFixed.")
	f("linear", "📋 Starting Linear integration agent - handling issue management...",
		"✅ Linear agent completed - returning results to supervisor",
		"📋 **Linear Integration Agent**"+info, "**Linear Agent Result:**\n\nFixed.")
	f("code_reviewer", "🚀 Starting code_reviewer subagent - streaming work in real-time...",
		"✅ code_reviewer subagent completed - returning task result to supervisor",
		"🤖 **Code Reviewer Agent**"+info, "**Code Reviewer Agent Result:**\n\nFixed.")
}

func TestIndicators(t *testing.T) {
	f := func(text string, want bool, list ...string) {
		t.Helper()
		d := decoder{indicators: indicatorsOf(list)}
		if got := d.tellsFailure([]byte(text), !literalsOnly); got != want {
			t.Errorf("%q in %q: got %t, want %t", list, text, got, want)
		}
	}
	f("an error occurred", false)
	f("an Error Occurred", true, "x", "/(?i)error occurred/")
	f("[[SUBAGENT_ERROR]]", true, "[[SUBAGENT_ERROR]]")
	f("SUB", false, "[[SUBAGENT_ERROR]]")
	f("a /( b", true, "/(/", "/(")
	f("anything", false, "", "//")
}
