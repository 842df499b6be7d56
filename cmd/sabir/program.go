package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/config"
)

// takeProgram takes the command of an agent, which stands behind two dashes: what stands elsewhere is a mistake.
func (o *oneRoute) takeProgram(cmd *cobra.Command, args []string) error {
	o.asking = cmd.Name()
	dash := cmd.ArgsLenAtDash()
	switch {
	case len(args) == 0:
		return nil
	case dash == 0:
		o.command = args
		return nil
	case strings.Contains(args[0], "://"):
		return usageError{fmt.Errorf("%s is no argument of its own: --to %[1]s", args[0])}
	}
	return usageError{fmt.Errorf("%s is no argument of its own; an agent that is a program stands behind two dashes: -- %[1]s", args[0])}
}

// takeConfig refuses arguments, such as the name of a configuration, which is that of a flag.
func takeConfig(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usageError{fmt.Errorf("%s is no argument of its own: --config %[1]s", args[0])}
}

// isProgram reports whether an agent is named by a command: its first word is a program that is there.
func isProgram(agent string) bool {
	words := strings.Fields(agent)
	if len(words) == 0 {
		return false
	}
	_, err := exec.LookPath(words[0])
	return err == nil
}

// completeProgram finds out what a program speaks, how it is called in full, and what it needs of the environment.
func (o *oneRoute) completeProgram(known *catalog) error {
	if o.command == nil {
		return nil
	}
	var err error
	if o.dir, err = os.Getwd(); err != nil {
		return err
	}
	dialect, program := known.Program(o.command, o.from)
	switch {
	case program != nil:
		o.from, o.command, o.env = dialect.Name, program.Complete(o.command), program.Env
	case o.from == "":
		name := filepath.Base(o.command[0])
		if calls := known.Calls(name); len(calls) > 0 {
			return usageError{fmt.Errorf("%s is known as %s; call it so, or say with --from what it speaks", name, strings.Join(calls, " and as "))}
		}
		return usageError{fmt.Errorf("--from is missing: %s is no program of which it is known what it speaks; one of %s",
			name, strings.Join(known.Runs(), ", "))}
	}
	o.env = slices.Concat(o.env, o.pass)
	return nil
}

// present says that a program is not there, before clients meet that.
func (o *oneRoute) present() error {
	if o.command == nil {
		return nil
	}
	if _, err := exec.LookPath(o.command[0]); err != nil {
		return usageError{fmt.Errorf("the program behind --: %w", err)}
	}
	return nil
}

// askProgram asks what a program speaks, where that is not known.
func (o *oneRoute) askProgram(iv *interview) error {
	if dialect, _ := iv.known.Program(o.command, ""); dialect != nil {
		o.from = dialect.Name
		return nil
	}
	return iv.question("What does your program speak? ("+strings.Join(iv.known.Runs(), ", ")+")", "acp", &o.from, func(text string) error {
		return errors.Join(errors.Join(iv.known.Check(text, adapters.Upstream, nil)...), iv.known.CheckProcess(text))
	})
}

// process is the part of the configuration that says how a program runs.
func (o *oneRoute) process(t *commented) {
	t.line("    process:", "one for each conversation")
	t.line("      dir: "+scalar(o.dir), "where it works; left out: an empty folder")
	if len(o.env) > 0 {
		t.list("      env: ", slices.Concat(config.DefaultProcessEnv(), o.env), "what it sees of the environment")
	}
}

// list adds a list of texts, in lines of a readable length. The comment stands above several.
func (t *commented) list(head string, items []string, comment string) {
	const longest = 90
	indent := head[:len(head)-len(strings.TrimLeft(head, " "))]
	var lines []string
	text := head + "[" + scalar(items[0])
	for _, item := range items[1:] {
		item = scalar(item)
		if len(text)+len(item) > longest {
			lines = append(lines, text+",")
			text = indent + "  " + item
			continue
		}
		text += ", " + item
	}
	if len(lines) == 0 {
		t.line(text+"]", comment)
		return
	}
	t.line(indent+"# "+comment, "")
	for _, text := range append(lines, text+"]") {
		t.line(text, "")
	}
}
