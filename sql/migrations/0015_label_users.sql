-- What people see in the place of an e-mail and of a hook's command: made once per user and per hook, when they are
-- written, and not once per row that is read.

create function warehouse.user_label(user_email text, user_id text)
returns text
language sql
immutable
parallel safe
return case
  when user_email ~ '^..+@[^@]+$' then left(user_email, 1) || '***@' || substring(user_email from '[^@]+$')
  when user_email ~ '@[^@]+$' then '***@' || substring(user_email from '[^@]+$')
  else user_id
end;

comment on function warehouse.user_label(text, text) is
  'A user as BI may show one: first letter and domain of the e-mail (a***@example.com), the domain alone where a single letter stands before it, the user id where there is no e-mail.';

alter table warehouse.dim_user
  add column user_label text not null generated always as (warehouse.user_label(user_email, user_id)) stored;

comment on column warehouse.dim_user.user_label is
  'The user as BI shows one: first letter and domain of the e-mail, the user id where there is no e-mail. Not unique.';

-- A command may be a script of any length: what is looked at is cut first, and not in the middle of a word, or the
-- rest of a secret would no longer look like one. A word without end is no secret, and is cut where it must be.
create function warehouse.shown_command(command text)
returns text
language plpgsql
immutable
strict
parallel safe
as $$
declare
  most_read constant integer := 1000;
  most_shown constant integer := 200;
  shown text := left(command, most_read);
begin
  if length(command) > most_read then
    shown := left(shown, greatest(most_shown, length(regexp_replace(shown, '\S+$', ''))));
  end if;
  -- name:password in an address
  shown := regexp_replace(shown, '://[^/@\s]+@', '://…@', 'g');
  -- e-mails, also as a URL writes them
  shown := regexp_replace(shown, '[^][\s@<>"'',;:=()|&/?]+(?:@|%40)[^][\s@<>"'',;:=()|&/]+', '…', 'gi');
  -- name:password of curl
  shown := regexp_replace(shown, '((?:^|\s)(?:-u|--user|--proxy-user)[\s=]*["'']?)[^\s:"'']+:[^\s"'']+', '\1…', 'g');
  -- what is called a secret and has spaces, in quotes
  shown := regexp_replace(
    shown,
    '((?:key|token|secret|pass(?:wor[dt]|wd|phrase)?|pwd|auth|credentials?)["'']?\s*[=:]\s*)(?:"[^"]*\s[^"]*"|''[^'']*\s[^'']*'')',
    '\1…',
    'gi'
  );
  -- what is called a secret: token=…, "api_key": "…", --password …, Bearer …
  shown := regexp_replace(
    shown,
    '((?:(?:key|token|secret|pass(?:wor[dt]|wd|phrase)?|pwd|auth|credentials?|authorization)["'']?\s*[=:]\s*["'']?'
      '(?:(?:bearer|basic|token)\s+)?)'
      '|(?:--?[a-z_-]*(?:key|token|secret|pass(?:wor[dt]|wd|phrase)?|pwd|credentials?)\s+["'']?)'
      '|(?:\m(?:bearer|basic)\s+))'
      '[^\s"'';|&)]{4,}',
    '\1…',
    'gi'
  );
  -- what begins like a secret of a well-known kind
  shown := regexp_replace(
    shown,
    '\m(?:(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[a-z]|npm|hf|shpat)[-_]|akia|asia|aiza|eyj)'
      '[[:alnum:]_.-]{8,}',
    '…',
    'gi'
  );
  -- letters and digits without an end
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
  'A hook command as BI may show it: at most 200 characters, with … in the place of what looks like an e-mail, a key or a token.';

alter table warehouse.dim_hook
  add column command_shown text not null generated always as (warehouse.shown_command(command)) stored;

comment on column warehouse.dim_hook.command_shown is
  'The command as BI shows it: at most 200 characters, with … in the place of what looks like an e-mail, a key or a token. Not unique.';
