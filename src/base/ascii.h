/* Classes of ASCII characters, whatever the locale is. A byte of a longer UTF-8 character, signed or not, is in none. */
#ifndef BASE_ASCII_H
#define BASE_ASCII_H
#include <stdbool.h>

static inline bool ascii_is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static inline bool ascii_is_upper(int c)
{
	return c >= 'A' && c <= 'Z';
}

static inline bool ascii_is_lower(int c)
{
	return c >= 'a' && c <= 'z';
}

static inline bool ascii_is_letter(int c)
{
	return ascii_is_upper(c) || ascii_is_lower(c);
}

static inline bool ascii_is_alnum(int c)
{
	return ascii_is_letter(c) || ascii_is_digit(c);
}

/* As names are made of: a letter, a digit or "_". */
static inline bool ascii_is_word(int c)
{
	return ascii_is_alnum(c) || c == '_';
}

static inline char ascii_upper(char c)
{
	return ascii_is_lower(c) ? (char)(c - 'a' + 'A') : c;
}

static inline char ascii_lower(char c)
{
	return ascii_is_upper(c) ? (char)(c - 'A' + 'a') : c;
}

/* The value of a hexadecimal digit of either case, or -1. */
static inline int ascii_hex(int c)
{
	if (ascii_is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

#endif
