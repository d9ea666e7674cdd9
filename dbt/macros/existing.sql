{#
  For what is there already: nothing is created, replaced or dropped, so that the right to select is enough. Where a
  contract is enforced, the columns and their types are compared with it; a column that was renamed, retyped, added or
  dropped fails the build before anybody's query does.
#}
{% materialization existing, default %}
  {%- if config.get('contract').enforced -%}
    {%- do assert_columns_equivalent(sql) -%}
  {%- endif -%}
  {% call noop_statement('main', 'EXISTS') %}{% endcall %}
  {{ return({'relations': [this.incorporate(type='view')]}) }}
{% endmaterialization %}
