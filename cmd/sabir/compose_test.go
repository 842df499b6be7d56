package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// composed is what a test looks at of deploy/compose.yaml.
type composed struct {
	Services map[string]struct {
		Image, Build any
		Command      []string
		Environment  map[string]string
		Volumes      []string
		Ports        []string
		DependsOn    map[string]any `yaml:"depends_on"`
	}
}

func readComposed(t *testing.T, folder string) (c composed) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, "compose.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(data, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestCompose: what deploy/compose.yaml starts is there: commands with their flags, files, services that others name, and a configuration
// that is fine with the environment that it gets.
func TestCompose(t *testing.T) {
	const folder = "../../deploy"
	c := readComposed(t, folder)
	replicas := 0
	for name, s := range c.Services {
		for other := range s.DependsOn {
			if _, is := c.Services[other]; !is {
				t.Errorf("%s depends on %s, which is not there", name, other)
			}
		}
		for _, volume := range s.Volumes {
			file, _, _ := strings.Cut(volume, ":")
			if _, err := os.Stat(filepath.Join(folder, file)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if s.Build == nil {
			continue
		}
		root := newRoot()
		cmd, rest, err := root.Find(s.Command)
		if err != nil || cmd == root {
			t.Fatalf("%s runs %q: %v", name, s.Command, err)
		}
		if err := cmd.ParseFlags(rest); err != nil {
			t.Errorf("%s runs %q: %v", name, s.Command, err)
		}
		if cmd.Name() == "serve" {
			replicas++
			checkComposed(t, folder, name, s.Command, s.Volumes, s.Environment)
			for variable, value := range s.Environment {
				if host, _, _ := strings.Cut(strings.SplitN(value, "//", 2)[1], ":"); c.Services[host].Command == nil {
					t.Errorf("%s: %s names the host %q, which is no service", name, variable, host)
				}
			}
		}
	}
	if replicas != 2 || c.Services["one"].Ports[0] == c.Services["two"].Ports[0] {
		t.Errorf("there are %d replicas, at %v and %v", replicas, c.Services["one"].Ports, c.Services["two"].Ports)
	}
}

// checkComposed checks the configuration that a replica gets by a volume, with its environment.
func checkComposed(t *testing.T, folder, name string, command, volumes []string, environment map[string]string) {
	t.Helper()
	for variable, value := range environment {
		t.Setenv(variable, value)
	}
	at := command[slices.Index(command, "--config")+1]
	i := slices.IndexFunc(volumes, func(v string) bool { return strings.HasSuffix(v, ":"+at+":ro") })
	if i < 0 {
		t.Fatalf("%s reads %s, which is none of %v", name, at, volumes)
	}
	file, _, _ := strings.Cut(volumes[i], ":")
	path := filepath.Join(folder, file)
	sabir(t, "", "check", "--config", path).want(t, exitOK, "is fine", path+": warning: admin: 0.0.0.0:9090 can be reached from other machines")
}
