package pantry

import (
	"encoding"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// An amount is a decimal with two places, in hundredths. In JSON it is a
// string such as "2.00".
type amount int64

const (
	amountPlaces = 2
	amountWhole  = 6 // digits before the point
)

var decimalText = regexp.MustCompile(`^([+-]?)([0-9]*)(?:\.([0-9]*))?$`)

// parseAmount reads a decimal, or returns the problem that a client is told.
func parseAmount(s string) (a amount, problem string) {
	const invalid = "A valid number is required."
	m := decimalText.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil || m[2]+m[3] == "" {
		return 0, invalid
	}
	whole, places := strings.TrimLeft(m[2], "0"), m[3]
	switch {
	case len(places) > amountPlaces:
		return 0, fmt.Sprintf("Ensure that there are no more than %d decimal places.", amountPlaces)
	case len(whole) > amountWhole:
		return 0, fmt.Sprintf("Ensure that there are no more than %d digits before the decimal point.", amountWhole)
	}
	n, err := strconv.ParseInt(whole+places+strings.Repeat("0", amountPlaces-len(places)), 10, 64)
	switch {
	case err != nil:
		return 0, invalid
	case m[1] == "-" && n > 0:
		return 0, "Ensure this value is greater than or equal to 0."
	}
	return amount(n), ""
}

// scale multiplies a by to/from, rounding half up.
func (a amount) scale(to, from int) amount {
	return (2*a*amount(to) + amount(from)) / (2 * amount(from))
}

func (a amount) String() string { return fmt.Sprintf("%d.%02d", a/100, a%100) }

// MarshalText returns the decimal's text.
func (a amount) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads the decimal's text.
func (a *amount) UnmarshalText(text []byte) error {
	n, problem := parseAmount(string(text))
	if problem != "" {
		return errors.New(problem)
	}
	*a = n
	return nil
}

var (
	_ encoding.TextMarshaler   = amount(0)
	_ encoding.TextUnmarshaler = (*amount)(nil)
)
