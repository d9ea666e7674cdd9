{# No two rows share the columns that a row is about; null is a value like any other. #}
{% test unique_grain(model, columns) %}
select {{ columns | join(', ') }}, count(*) as rows_of_one
from {{ model }}
group by {{ columns | join(', ') }}
having count(*) > 1
{% endtest %}
