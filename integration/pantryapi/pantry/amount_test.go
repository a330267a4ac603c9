package pantry

import "testing"

func TestParseAmount(t *testing.T) {
	for in, want := range map[string]string{
		"2": "2.00", "2.5": "2.50", "0.05": "0.05", ".5": "0.50", "3.": "3.00", "+1": "1.00", "-0": "0.00",
		" 7 ": "7.00", "0000001.10": "1.10", "999999.99": "999999.99",
	} {
		if a, problem := parseAmount(in); problem != "" || a.String() != want {
			t.Errorf("%q is %s %s, want %s", in, a, problem, want)
		}
	}
	for _, in := range []string{"", ".", "-", "1e2", "NaN", "Infinity", "1,5", "1 2", "٣", "-0.01", "1.000", "1000000"} {
		if a, problem := parseAmount(in); problem == "" {
			t.Errorf("%q is %s, want a refusal", in, a)
		}
	}
}

func TestScale(t *testing.T) {
	for _, tt := range []struct {
		amount   string
		to, from int
		want     string
	}{
		{"100", 3, 2, "150.00"},
		{"1", 1, 3, "0.33"},
		{"1", 2, 3, "0.67"},
		{"0.01", 1, 2, "0.01"}, // half a hundredth is rounded up
		{"999999.99", 100, 1, "99999999.00"},
	} {
		a, _ := parseAmount(tt.amount)
		if got := a.scale(tt.to, tt.from).String(); got != tt.want {
			t.Errorf("%s · %d/%d is %s, want %s", tt.amount, tt.to, tt.from, got, tt.want)
		}
	}
}

func FuzzParseAmount(f *testing.F) {
	for _, seed := range []string{"2.00", "-1", ".5", "1e9", "999999.99", "00000000000000000001"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, problem := parseAmount(s)
		if problem != "" {
			return
		}
		if a < 0 || a > 99999999 {
			t.Fatalf("%q is %d, out of range", s, a)
		}
		if again, problem := parseAmount(a.String()); problem != "" || again != a {
			t.Fatalf("%q is %s, which is read as %s %s", s, a, again, problem)
		}
	})
}
