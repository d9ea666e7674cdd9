-- Users and commands as BI shows them.

-- Readers join by the shown user id, so it must be another one for each user: an id that looks like an e-mail or a secret is
-- replaced by … and user_key.
create function warehouse.shown_user_id(user_id text, user_key integer)
returns text
language sql
immutable
parallel safe
return case
  -- a fast test for the usual form of an id: a load calls this for each user
  when user_id ~ '^user_[0-9a-z]+$' then user_id
  when user_id !~* '[@\uFF20\uFE6B]|%(?:25)*(?:u00)?40|%(?:25)*EF%(?:25)*B[C9]%|&(?:amp;)*(?:#0*64|#x0*40|#65312|#xff20|commat)|\\+(?:u0040|uff20|x40|u\{0*40|0?100)|=40[[:alpha:]]' and warehouse.shown_text(user_id) = user_id then user_id
  else '…' || user_key
end;

comment on function warehouse.shown_user_id(text, integer) is
  'A user id as BI may show it: as reported, or … and user_key if it looks like an e-mail or a secret.';

create function warehouse.user_label(user_email text, user_id text)
returns text
language sql
immutable
parallel safe
return case
  when user_email like '__%@_%' and user_email not like '%@%@%'
    then left(user_email, 1) || '***@' || split_part(user_email, '@', 2)
  when user_email ~ '^..+@[^@]+$' then left(user_email, 1) || '***@' || substring(user_email from '[^@]+$')
  when user_email ~ '@[^@]+$' then '***@' || substring(user_email from '[^@]+$')
  when user_id ~ '^..+@[^@]+$' then left(user_id, 1) || '***@' || substring(user_id from '[^@]+$')
  when user_id ~ '@[^@]+$' then '***@' || substring(user_id from '[^@]+$')
  when user_id ~* '[@\uFF20\uFE6B]|%(?:25)*(?:u00)?40|%(?:25)*EF%(?:25)*B[C9]%|&(?:amp;)*(?:#0*64|#x0*40|#65312|#xff20|commat)|\\+(?:u0040|uff20|x40|u\{0*40|0?100)|=40[[:alpha:]]' then '***'
  else warehouse.shown_text(user_id)
end;

comment on function warehouse.user_label(text, text) is
  'A user as BI may show one: first letter and domain of the e-mail (a***@example.com), or only the domain if a single letter stands before it. Without an e-mail: the user id.';

-- A command may be a script of any length, so only its first 1000 characters are read. The last word is left out, because it
-- may be cut: a part of a secret would not be recognized. If that word has more than 800 characters, it is no secret, and its
-- beginning stays.
create function warehouse.shown_command(command text)
returns text
language plpgsql
immutable
strict
parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
  most_read constant integer := 1000;
  most_shown constant integer := 200;
  shown text := left(command, most_read);
begin
  if length(command) > most_read then
    shown := left(shown, greatest(most_shown, length(regexp_replace(shown, '\S+$', ''))));
  end if;
  shown := warehouse.masked_text(shown);
  -- Commands are masked more strictly than names: anything that may be an e-mail or a secret is masked, too.
  shown := regexp_replace(shown, '[^][\s@<>"'',;:=()|&/?]+(?:@|%40)[^][\s@<>"'',;:=()|&/]+', '…', 'gi');
  -- a value in quotes that contains spaces, after a name such as key or password
  shown := regexp_replace(
    shown,
    '((?:key|token|secret|pass(?:wor[dt]|wd|phrase)?|pwd|auth|credentials?)["'']?\s*[=:]\s*)(?:"[^"]*\s[^"]*"|''[^'']*\s[^'']*'')',
    '\1…',
    'gi'
  );
  shown := regexp_replace(
    shown,
    '((?:(?:key|token|secret|pass(?:wor[dt]|wd|phrase)?|pwd|auth|credentials?|authorization)["'']?\s*[=:]\s*["'']?'
      '(?:(?:bearer|basic|token)\s+)?)'
      '|(?:\m(?:bearer|basic|apikey)\s+))'
      '[^\s"'';|&)]{4,}',
    '\1…',
    'gi'
  );
  shown := regexp_replace(
    shown,
    '\m(?:(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[a-z]|npm|hf|shpat)[-_]|akia|asia|aiza|eyj)'
      '[[:alnum:]_.-]{8,}',
    '…',
    'gi'
  );
  -- long sequences of letters and digits
  shown := regexp_replace(
    shown,
    '(?=[[:alnum:]+_=-]*[0-9])(?=[[:alnum:]+_=-]*[[:alpha:]])[[:alnum:]+_=-]{24,}'
      '|(?=[[:alnum:]+/=]*[0-9])(?=[[:alnum:]+/=]*[[:upper:]])[[:alnum:]+/=]{40,}',
    '…',
    'g'
  );
  return left(shown, most_shown);
end
$$;

comment on function warehouse.shown_command(text) is
  'A hook command as BI may show it: at most 200 characters, with … instead of anything that looks like an e-mail, a key or a token.';
