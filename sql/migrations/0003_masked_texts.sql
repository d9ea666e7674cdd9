-- For every text that `bi` shows, a column stores a masked form, without anything that looks like an e-mail address or a
-- secret. Postgres computes it once, when the row is written. So reading is fast, and readers of the views need no right on
-- our functions. Natural keys are stored as they were reported.

-- The function reads at most the first 1000 characters, so that a long text does not cost more time.
create function warehouse.masked_text(value text)
returns text
language plpgsql
immutable
strict
parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
  most_read constant integer := 1000;
  longest_word constant integer := 300;
  -- characters of the local part of an address, and of a label of its domain; the @ may be percent-encoded
  local constant text := '[^][\s@<>"'',;:=()|&/?{}\\#…]';
  label constant text := '[^][\s@<>"'',;:=()|&/?{}\\#…_%.*!$~^`+]';
  letter constant text := '[^][\s@<>"'',;:=()|&/?{}\\#…_%.*!$~^`+0-9-]';
  at_sign constant text := '(?:@|%(?:25)*40)';
  -- the last label of a domain begins with a letter, so `tool@1.2.3`, `model@20250514` and `plugin@marketplace` do not match
  domain constant text :=
    '(?:(?:' || label || '+\.)+' || letter || label || '+|localhost(?!' || label || ')|\[[0-9a-z.:]+\])';
  -- the user names of repository hosts name no person
  nobody constant text := '(?!(?:git|hg|svn)@)';
  -- a word of a command, with its quotes
  word constant text := '(?:"[^"]*(?:"|$)|''[^'']*(?:''|$)|(?:\\.|[^\s"''&|;)\\])+)';
  compound constant text :=
    '(?:(?:api|access|auth|client|secret|private|refresh|session|bearer|deploy|bot|master|admin|db|root|service|signing|webhook|encryption)'
    '[_. -]?(?:key|token|secret|pass(?:word|wd|phrase)?)|passw(?:or)?[dt]|kennwort|passphrase|pwd)';
  called_secret constant text :=
    '(?!tokens\s*=\s*[0-9]+(?:\s|$))(?:(?:secret|passw(?:or)?[dt]|kennwort|passphrase|passcode|pwd|credential)[[:alnum:]_.-]*'
    '|(?:key|token|auth|authorization|cred)s?[0-9]*(?:[_.-][[:alnum:]_.-]*|value)?'
    '|(?<![[:alnum:]])(?:sig|signature|jwt|cookie|pat|otp|pass))';
  -- the sign between a name and its value
  equals constant text := '(?:=[=>~]?|:=|%3d)';
  code text;
  shown text := value;
  written text;
  plain text;
  low text;
begin
  if length(value) > most_read then
    -- do not cut within a word: a part of a secret would not be recognized
    shown := left(value, most_read);
    shown := left(
      shown,
      greatest(most_read - longest_word, length(regexp_replace(shown, '[^][\s&?/"'',;|()<>]+$', '')))
    ) || '…';
  end if;
  -- `plain` is the text without encodings and look-alike characters. A text with nothing to mask is shown as it was written.
  -- (The conditions below save time: Postgres caches 32 compiled patterns only, so a pattern is compiled only if needed.)
  plain := shown;
  if plain ~ '[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]' then
    plain := regexp_replace(plain, '[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]', '', 'g');
  end if;
  if plain ~ '[\uFF01-\uFF5E\uFE6B\uFE52\uFF61\u3002]' then
    plain := translate(
      plain,
      '！＂＃＄％＆＇（）＊＋，－．／０１２３４５６７８９：；＜＝＞？＠ＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺ［＼］＾＿｀ａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ｛｜｝～﹫﹒｡。',
      '!"#$%&''()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\]^_`abcdefghijklmnopqrstuvwxyz{|}~@...'
    );
  end if;
  if plain ~ '[%&\\]|=40' then
    plain := regexp_replace(plain, '%(?:25)+([0-9a-f]{2})', '%\1', 'gi');
    plain := regexp_replace(plain, '\\+(?= )', '', 'g');
    -- decode letters, digits, and the signs of names, hosts and headers
    for code in
      select distinct lower(coalesce(digits[1], digits[2]))
      from regexp_matches(plain, '%(3[0-9a]|2[de]|[46][1-9a-f]|[57][0-9a]|5f)|(?:\\+(?:u00|x)|&(?:amp;)*#x0*)(3[0-9a]|2[de]|[46][1-9a-f]|[57][0-9a]|5f)', 'gi') as digits
    loop
      plain := regexp_replace(plain, '%' || code || '|\\+(?:u00|x)' || code || '|&(?:amp;)*#x0*' || code || ';?', chr(get_byte(decode(code, 'hex'), 0)), 'gi');
    end loop;
    plain := regexp_replace(plain, '&(?:amp;)*(?:#0*46|period);?', '.', 'gi');
    plain := regexp_replace(plain, '(=40[[:alnum:]-]+)=2e', '\1.', 'gi');
    plain := regexp_replace(
      plain,
      '%EF%BC%A0|%EF%B9%AB|%u0040|&(?:amp;)*(?:#0*64|#x0*40|#65312|#xff20|commat);?|\\+(?:u0040|uff20|x40|u\{0*40\}|0?100)|=40(?=[[:alpha:]])',
      '@',
      'gi'
    );
    plain := regexp_replace(plain, '&(?:amp;)*(?:#0*61|#x0*3d|equals);?|\\+(?:u003d|x3d)', '=', 'gi');
    plain := regexp_replace(plain, '&(?:amp;)*(?:#0*58|#x0*3a|colon);?|\\+(?:u003a|x3a)', ':', 'gi');
    plain := regexp_replace(plain, '%EF%BC%9D', '=', 'gi');
  end if;
  written := shown;
  shown := plain;
  low := lower(plain);
  if low like '%-----begin %' then
    shown := regexp_replace(shown, '-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----.*', '…', 'i');
  end if;
  if low like '%//%' then
    -- name:password in a URL; a password that is not encoded may contain a slash
    shown := regexp_replace(shown, '://' || nobody || '[^/\s]+@', '://…@', 'g');
    shown := regexp_replace(shown, '://[^/@\s:]*:(?![0-9]*(?:[/?#]|$))[^\s"'']*@', '://…@', 'g');
    shown := regexp_replace(shown, '//' || nobody || '[^/\s:@]*:(?![0-9]*(?:[/?#]|$))[^\s"''@]*@', '//…@', 'g');
  end if;
  if low ~ 'hooks\.|webhook|pagerduty|ifttt|telegram' then
    -- webhook URLs: the URL itself is the secret
    shown := regexp_replace(
      shown,
      '(\mhooks\.slack\.com/[a-z]+/|\mdiscord(?:app)?\.com/api/(?:v[0-9]+/)?webhooks/|\moutlook\.office(?:365)?\.com/webhook/|\mevents\.pagerduty\.com/integration/|\mmaker\.ifttt\.com/[^\s"'']*/key/|\mapi\.telegram\.org/(?:file/)?bot|\mwebhook\.office\.com/[a-z0-9]+/|\mhooks\.zapier\.com/[a-z]+/[a-z]+/)[^\s"'']+',
      '\1…',
      'gi'
    );
  end if;
  if low like '%@%' or low like '%\%%40%' then
    -- e-mails; the name of an MCP tool keeps its ends
    shown := regexp_replace(shown, '^(mcp__)' || local || '+' || at_sign || domain, '\1…', 'i');
    shown := regexp_replace(shown, '\\?"[^"@]+"' || at_sign || domain, '…', 'gi');
    shown := regexp_replace(
      shown, '(?<!' || local || ')' || nobody || local || '+' || at_sign || domain, '…', 'gi'
    );
    -- e-mails with white space after the @, before a clear domain
    shown := regexp_replace(
      shown, '(?<!' || local || ')' || local || '*[[:alnum:]]\s?@\s(?:[[:alnum:]_-]+\.)+[[:alpha:]]{2,}(?![[:alnum:]_/(@-])', '…', 'gi'
    );
  end if;
  if low ~ 'auth|cookie|key|token|secret|bearer|basic|negotiate' then
    -- headers
    if low like '%authorization%' then
      shown := regexp_replace(
        shown, '(authorization\\?["'']?\s*[:=]\s*\\?["'']?)[[:alnum:]_-]+\s+[^"''\\|;&]+', '\1…', 'gi'
      );
    end if;
    if low like '%authorization%' or low like '%cookie%' then
      shown := regexp_replace(shown, '((?:authorization|cookie):\s+)[^"''\\|;&]+', '\1…', 'gi');
    end if;
    shown := regexp_replace(
      shown,
      '((?:authorization|\mcookie|\m(?:x-)?(?:[a-z]+-)*(?:api-?|subscription-|functions-)key|\mx-[a-z-]*(?:key|token|secret|auth)|\mprivate-token):\s*)(?!…)[^\s"''\\|;&)]+',
      '\1…',
      'gi'
    );
    if low like '%bearer%' then
      shown := regexp_replace(shown, '(\mbearer(?:\s*[:=]\s*|\s+|%20|\+))(?!tokens?\M|auth)[^\s"'';|&)…]{6,}', '\1…', 'gi');
    end if;
    if low like any (array['%bearer%', '%basic%', '%apikey%', '%negotiate%']) then
      shown := regexp_replace(
        shown, '(\m(?:bearer|basic|apikey|negotiate)\s+)(?=[^\s"'']*[0-9=])[^\s"'';|&)]{8,}', '\1…', 'gi'
      );
    end if;
  end if;
  if low ~ '-(?:[a-z#]{0,9}u|-user|-proxy-user)' then
    -- name:password of curl, name%password of smbclient
    shown := regexp_replace(
      shown,
      '((?:^|\s)(?:-[a-z#]{0,9}u|--user|--proxy-user)[\s=]*)(?![0-9]+:[0-9]+(?:\s|$))(?:"[^":%]+[:%][^"]*(?:"|$)|''[^'':%]+[:%][^'']*(?:''|$)|[^\s:%"'']+[:%][^\s"'')]*)',
      '\1…',
      'gi'
    );
  end if;
  if
    low
      ~ 'mysql|mariadb|7z|rar|pass|twine|rdesktop|mongo|login|-cli|ldap|zip|sqlcmd|bcp|mosquitto|openssl|keygen|\m(?:https?|xh)\s|xfreerdp|\s(?:-b|--cookie)'
  then
    -- options of programs that take a password by one letter
    shown := regexp_replace(
      shown,
      '(\m(?:mysql[a-z]*|mariadb[a-z-]*|7z[ar]*|rar|unrar|sshpass|twine|rdesktop)\M[^|;&]*\s-p)(?![-\s])' || word,
      '\1…',
      'g'
    );
    shown := regexp_replace(
      shown,
      '(\m(?:sshpass|twine|rdesktop|mongo[a-z]*|(?:docker|podman|nerdctl|buildah|skopeo|helm|az|oc)(?:\s+[a-z]+)?\s+login)\M[^|;&]*\s-p[\s=]*)(?!-)' || word,
      '\1…',
      'g'
    );
    shown := regexp_replace(
      shown, '(\m(?:redis|valkey|keydb)-cli\M[^|;&]*\s-a[\s=]*)(?!-)' || word, '\1…', 'g'
    );
    shown := regexp_replace(shown, '(\mldap[a-z]+\M[^|;&]*\s-w[\s=]*)(?!-)' || word, '\1…', 'g');
    shown := regexp_replace(
      shown, '(\m(?:zip|unzip|sqlcmd|bcp|mosquitto_[a-z]+)\M[^|;&]*\s-P[\s=]*)(?!-)' || word, '\1…', 'g'
    );
    shown := regexp_replace(
      shown,
      '(\m(?:openssl\M[^|;&]*\s-[kK]|ssh-keygen\M[^|;&]*\s-N|(?:http|https|xh)\M[^|;&]*\s(?:-a|--auth)|xfreerdp[0-9]?\M[^|;&]*\s/p:|curl\M[^|;&]*\s(?:-b|--cookie)(?=[\s=]*\S*=))[\s=]*)(?!-)' || word,
      '\1…',
      'g'
    );
  end if;
  if low ~ 'key|token|secret|pass|pwd|cred|auth|kennwort|bearer|(?<![[:alnum:]])(?:sig|jwt|cookie|pat|otp)' then
    -- set API_KEY …, git config user.token …
    if low like '%set%' or low like '%config%' then
      shown := regexp_replace(
        shown,
        '(\m(?:setx?|setenv|config|configure)\s+(?:(?:set|-[a-z-]+)\s+)*[^\s=…]*[_.][^\s=…]*(?:key|token|secret|passw(?:or)?d|pwd)[[:alnum:]_]*\s+)(?![-/$.…])' || word,
        '\1…',
        'gi'
      );
    end if;
    -- <password>…</password>, "name": "API_KEY", "value": "…"
    if low like '%<%' then
      shown := regexp_replace(shown, '(<[^\s<>]*' || called_secret || '>)[^<]+', '\1…', 'gi');
    end if;
    if low like '%value%' then
      shown := regexp_replace(
        shown, '(' || called_secret || '\\?["'']?[,;]?\s*\\?["'']?value\\?["'']?\s*[:=]\s*)' || word, '\1…', 'gi'
      );
    end if;
    -- a value after a name such as token or password: token=…, --password …, "api_key": "…", X-Api-Key: …
    shown := regexp_replace(
      shown, '(' || called_secret || '\\?["'']?\s*' || equals || '\s*)' || word, '\1…', 'gi'
    );
    shown := regexp_replace(
      shown,
      '((?:^|\s)--?[[:alnum:]_-]*(?:key|token|secret|pass(?:wor[dt]|wd|phrase)?|pwd|credentials?|-pass|pass(?:in|out)|bearer)\s+)(?!-)' || word,
      '\1…',
      'gi'
    );
    shown := regexp_replace(shown, '(' || called_secret || '\\?["'']\s*:\s*)\\?' || word, '\1…', 'gi');
    shown := regexp_replace(
      shown, '((?<![[:alnum:]])(?:[[:alnum:]_.-]*[_.-])?(?:token|secret|passcode|credentials?):\s+)(?!…)' || word, '\1…', 'gi'
    );
    shown := regexp_replace(
      shown, '((?<![[:alnum:]])(?:token|secret):)(?=[^\s"'']*[0-9])[^\s"'';|&)]{6,}', '\1…', 'gi'
    );
    if low like '%pwd%' then
      shown := regexp_replace(shown, '(\mpwd\s+)(?![-/$.…])' || word, '\1…', 'gi');
    end if;
    if low like '%pass%' then
      shown := regexp_replace(
        shown,
        '(\m(?:passw(?:or)?d|passphrase|passcode)\s+(?:is\s+)?)(?![-/$.…(])(?=[^\s]*[0-9])' || word,
        '\1…',
        'gi'
      );
    end if;
    shown := regexp_replace(
      shown, '((?:' || compound || '|\mtoken)\s+)(?=[[:alnum:]_]*[0-9])(?=[[:alnum:]_]*[[:alpha:]])[[:alnum:]_]{8,}(?![[:alnum:]_.-])', '\1…', 'gi'
    );
    shown := regexp_replace(shown, '(' || compound || '\s*:\s+)' || word, '\1…', 'gi');
    shown := regexp_replace(
      shown, '(' || compound || ':)(?=[^\s"'']*[0-9])[^\s"'';|&)]{6,}', '\1…', 'gi'
    );
  end if;
  -- a word that begins like a well-known kind of secret
  shown := regexp_replace(
    shown,
    '(?<![[:alnum:]])(?=[[:alnum:]_.-]*[0-9])'
      '(?:(?:sk|pk|rk|npm|xai|gsk|r8|pplx|sbp|nvapi|NRAK|PMAK|tskey|ntn|CFPAT|ph[cx]|tfp|pscale|lin_oauth)[-_][[:alnum:]_.-]{16,}'
      '|(?:SK|key-)[0-9a-f]{32}|AIza[[:alnum:]_-]{30,}|eyJ[[:alnum:]_-]{16,}(?:\.[[:alnum:]_-]+)*)',
    '…',
    'g'
  );
  shown := regexp_replace(
    shown,
    '(?<![[:alnum:]])(?:'
      '(?:SG|ya29|hvs|hvb|dp\.(?:pt|st|ct))\.[[:alnum:]_-][[:alnum:]_.-]{9,}'
      '|(?:pypi-|dckr_(?:pat|oat)_|GOCSPX-|AT(?:ATT|CTT)3x|ATBB|dop_v1_|sntrys_|glsa_|lin_api_|xapp-|whsec_|figd_|rubygems_|shp(?:ca|pa|ss)_'
      '|gh[pousr]_|github_pat_|glpat-|xox[a-z]-|hf_|shpat_|sk-(?:ant|proj|or|svcacct)-|[sr]k_(?:live|test)_'
      '|gl(?:ptt|dt|rt|cbt|oas|soat|ft|imt|agent)-|sq0[a-z]{3}-|AGE-SECRET-KEY-)(?=[[:alnum:]_.=-]*[0-9A-Z])[[:alnum:]_.=-]{8,}'
      '|(?:AKIA|ASIA)[A-Z0-9]{16}|[0-9]{6,12}:AA[[:alnum:]_-]{6,})',
    '…',
    'g'
  );
  return case when shown = plain then written else shown end;
end
$$;

comment on function warehouse.masked_text(text) is
  'The first 1000 characters of a text, with … instead of anything that looks like an e-mail, a key, a password or a token.';

-- Most texts contain nothing to mask. One pattern finds that out, so that they cost little time.
create function warehouse.shown_text(value text)
returns text
language sql
immutable
parallel safe
return case
  when value !~ '[@%=:&\\\s<\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF\uFE6B\uFF01-\uFF5E]|(?:sk|pk|rk|gh[pousr]|github_pat|glpat|xox[a-z]|npm|hf|shpat|xai|gsk|r8|pplx|sbp|nvapi|NRAK|PMAK|tskey|ntn|CFPAT|ph[cx]|tfp|pscale|oauth|key)[-_]|SK[0-9]|AKIA|ASIA|AIza|eyJ|SG\.|ya29|hv[sb]\.|pypi-|dckr_|GOCSPX|AT[A-Z]{2}|dop_v1|sntrys_|glsa_|lin_api|xapp-|whsec_|figd_|rubygems_|shp[a-z]{2}_|gl[a-z]+-|sq0|AGE-SECRET|dp\.|hooks\.|webhook|telegram|//' then value
  else warehouse.masked_text(value)
end;

comment on function warehouse.shown_text(text) is
  'A text as BI may show it, with … instead of anything that looks like an e-mail, a key, a password or a token.';
