"""The declarative base: one naming convention, so that every constraint has a name that errors can be read by."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import BigInteger, DateTime, MetaData, Text, func
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, mapped_column, registry

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


class Base(DeclarativeBase):
    """Maps Python types to the column types that also work distributed: bigint ids, timestamptz, text, jsonb."""

    # The registry holds the map, not the class: flask-sqlalchemy derives its model class from this one.
    registry = registry(
        metadata=MetaData(naming_convention=NAMING),
        type_annotation_map={
            int: BigInteger,
            str: Text,
            datetime: DateTime(timezone=True),
            dict[str, Any]: JSONB,
        },
    )


Id = Annotated[int, mapped_column(BigInteger, primary_key=True, autoincrement=True)]
OrgId = Annotated[int, mapped_column(BigInteger, primary_key=True, autoincrement=False)]
Created = Annotated[datetime, mapped_column(DateTime(timezone=True), server_default=func.now())]
