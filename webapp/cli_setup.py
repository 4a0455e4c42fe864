"""Commands that set an installation up: the schema, orgs, people, agents and tokens."""

from __future__ import annotations

from datetime import datetime, timedelta

import click

from webapp.access import sign_in, tokens
from webapp.access.actor import SCOPES, Actor, AgentRoleName, OrgRole, system
from webapp.command import command
from webapp.db.migrate import head, role_of, upgrade
from webapp.db.session import installation, transaction
from webapp.directory import accounts, agents, orgs, people, rules
from webapp.directory.types import UserView
from webapp.errors import Invalid, NotVisible
from webapp.memory import enablement
from webapp.runtime import runtime

LABEL = "command line"


def boss(org_key: str) -> Actor:
    """The actor of a command inside an org. Raises NotVisible, naming the org."""
    return system(orgs.get_org(org_key).id, LABEL, how="command")


def member(actor: Actor, reference: str) -> UserView:
    """A member by username, id or e-mail. Raises NotVisible, naming them."""
    with transaction(actor.org_id) as session:
        found = people.find_user(session, actor.org_id, reference)
    if found is None:
        raise NotVisible(f"There is no member {reference} in this organisation.")
    return found


@command("migrate")
def migrate() -> None:
    """Bring the database to this version's schema."""
    settings = runtime().settings
    if not settings.database_owner_url:
        raise click.ClickException("DATABASE_OWNER_URL is not set: it names the role that owns the tables.")
    upgrade(settings.database_owner_url, app_role=role_of(settings.database_url))
    click.echo(f"The database is at schema {head()}.")


@command("create-org")
@click.argument("key")
@click.option("--admin", "email", required=True, help="E-mail address of its first admin.")
@click.option("--name", default="", help="Its name; default: the key.")
@click.option("--username", default="", help="The admin's username; default: the e-mail address up to the @.")
@click.option("--time-zone", default="UTC", show_default=True, help="Zone in which its times are shown.")
@click.option("--memory", is_flag=True, help="Switch memory on at once.")
def create_org(key: str, email: str, name: str, username: str, time_zone: str, memory: bool) -> None:
    """Make an organisation and its first admin, and print their link for setting a password."""
    email = rules.email(email)
    with installation() as session:
        known = sign_in.find_account(session, email)
    username = rules.username(username or (known.username if known else _username_of(email)))
    org = orgs.create_org(key, name=name, time_zone=time_zone, by=LABEL)
    actor = system(org.id, LABEL, how="command")
    if memory:
        enablement.switch_org(actor, True)
    state = "Memory is on." if memory else "Memory is off until its admin switches it on."
    click.echo(f"Made the organisation {org.key} ({org.name}). {state}")
    _put(actor, username, people.PersonDraft(email=email, role="admin"))


@command("create-user")
@click.argument("org")
@click.argument("username")
@click.option("--email", help="Needed for a new account.")
@click.option("--name", "full_name", help="Full name.")
@click.option("--role", type=click.Choice(["admin", "member"]), help="Default for somebody new: member.")
def create_user(org: str, username: str, email: str | None, full_name: str | None, role: OrgRole | None) -> None:
    """Make or change a member of an organisation."""
    _put(boss(org), username, people.PersonDraft(email=email, full_name=full_name, role=role))


@command("create-superuser")
@click.argument("username")
@click.option("--email", required=True)
def create_superuser(username: str, email: str) -> None:
    """Make an account that may do everything in every organisation, and print its link for setting a password."""
    account_id = accounts.create_superuser(username, email)
    click.echo(f"Made the superuser {username}.")
    _print_link(account_id)


@command("create-agent")
@click.argument("org")
@click.argument("slug")
@click.option("--name", help="Default: the slug.")
@click.option("--description")
@click.option("--memory/--no-memory", default=None, help="Whether memory is on for it.")
@click.option("--editor", "editors", multiple=True, help="Username; may be given several times.")
@click.option("--viewer", "viewers", multiple=True, help="Username; may be given several times.")
def create_agent(
    org: str,
    slug: str,
    name: str | None,
    description: str | None,
    memory: bool | None,
    editors: tuple[str, ...],
    viewers: tuple[str, ...],
) -> None:
    """Make or change an agent of an organisation."""
    draft = agents.AgentDraft(
        name=name,
        description=description,
        enable_memory_component=memory,
        editors=editors or None,
        viewers=viewers or None,
    )
    agent, created = agents.put_agent(boss(org), slug, draft)
    state = "on" if agent.enable_memory_component else "off"
    click.echo(f"{'Made' if created else 'Changed'} the agent {agent.slug} ({agent.unique_id}); memory is {state}.")


@command("set-role")
@click.argument("org")
@click.argument("user")
@click.argument("role", type=click.Choice(["admin", "member", "editor", "viewer", "none"]))
@click.option("--agent", help="Slug or UUID: needed for editor, viewer and none.")
def set_role(org: str, user: str, role: str, agent: str | None) -> None:
    """Set a member's role: admin or member of the organisation; editor, viewer or none of an agent."""
    actor = boss(org)
    found = member(actor, user)
    if role in people.ROLES:
        people.put_person(actor, found.username, people.PersonDraft(role="admin" if role == "admin" else "member"))
        click.echo(f"{found.username} is now {role} of {org}.")
        return
    if agent is None:
        raise click.UsageError("Say which agent with --agent.")
    agent_roles: dict[str, AgentRoleName | None] = {"editor": "editor", "viewer": "viewer", "none": None}
    people.set_agent_role(actor, found.id, agents.get_agent(actor, agent).id, agent_roles[role])
    click.echo(f"{found.username} has now the role {role} on {agent}.")


@command("reset-password")
@click.argument("account")
def reset_password(account: str) -> None:
    """Print a one-time link with which an account (username or e-mail) sets a new password."""
    with installation() as session:
        found = sign_in.find_account(session, account)
    if found is None:
        raise NotVisible(f"There is no account {account}.")
    _print_link(found.id)


@command("create-token")
@click.argument("name")
@click.option("--org", help="The organisation that it opens; without one it is a superuser's.")
@click.option("--user", help="Whose token it is; without one it is a service's.")
@click.option("--scope", "scopes", multiple=True, type=click.Choice(SCOPES), help="Of a service; several times.")
@click.option("--days", type=click.IntRange(1, 3650), help="It expires after so many days; default: never.")
def create_token(name: str, org: str | None, user: str | None, scopes: tuple[str, ...], days: int | None) -> None:
    """Make an API token and print it, once."""
    org_id, account_id = _token_owner(org, user, scopes)
    lifetime = timedelta(days=days) if days else None
    with installation() as session:
        token = tokens.create(
            session, name=name, created_by=LABEL, org_id=org_id, account_id=account_id, scopes=scopes, lifetime=lifetime
        )
    click.echo(token.secret)


@command("revoke-token")
@click.argument("token")
def revoke_token(token: str) -> None:
    """End a token at once, named by its id or by how it begins."""
    with installation() as session:
        ended = tokens.revoke_named(session, token)
    click.echo(f"Revoked {ended.name} ({ended.prefix}…).")


def _token_owner(org: str | None, user: str | None, scopes: tuple[str, ...]) -> tuple[int | None, int | None]:
    if user is None and not scopes:
        raise click.UsageError("Say whose token it is with --user, or what a service may do with --scope.")
    if user is not None and scopes:
        raise click.UsageError("A personal token acts as its user and takes no --scope.")
    if org is None and user is None:
        raise click.UsageError("Say in which organisation the service works with --org.")
    if org is not None:
        actor = boss(org)
        return actor.org_id, member(actor, user).id if user is not None else None
    with installation() as session:
        found = sign_in.find_account(session, user or "")
    if found is None or not found.is_superuser:
        raise Invalid("Only a superuser's token opens every organisation: name one with --org.")
    return None, found.id


def _put(actor: Actor, username: str, draft: people.PersonDraft) -> None:
    user, created = people.put_person(actor, username, draft)
    click.echo(f"{'Made' if created else 'Changed'} the {user.role} {user.username} ({user.email}).")
    with installation() as session:
        account = sign_in.find_account(session, user.username)
    if created and account is not None and account.password_hash is None:
        _print_link(user.id)


def _print_link(account_id: int) -> None:
    with installation() as session:
        link = sign_in.new_link(session, account_id, "set_password")
    click.echo(f"Set a password, once, until {_local(link.expires_at)}:\n{_address()}/set-password/{link.secret}")


def _address() -> str:
    settings = runtime().settings
    return (settings.base_url or f"http://{settings.host}:{settings.port}").rstrip("/")


def _local(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M %Z}"


def _username_of(email: str) -> str:
    return "".join(letter if letter.isascii() and letter.isalnum() else "." for letter in email.split("@")[0]).strip(
        "."
    )


COMMANDS = (
    migrate, create_org, create_user, create_superuser, create_agent, set_role, reset_password, create_token,
    revoke_token,
)  # fmt: skip
